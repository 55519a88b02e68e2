package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.CallId;

/** Broadcast to all nodes, sent on {@link JmsDestinations#CONTROL}. */
public sealed interface ControlMessage {

    /**
     * The node that runs the execution must stop it.
     *
     * @param execution the execution to stop
     */
    record ExecutionCancelRequest(ExecutionId execution) implements ControlMessage {}

    /**
     * An event was stored: nodes may check the executions that wait for it.
     *
     * @param tenant the tenant of the event
     * @param name the name of the event
     */
    record EventStored(String tenant, String name) implements ControlMessage {}

    /**
     * The caller no longer waits for a tool call: the node that has the call must not start it if it has not started.
     *
     * @param call the call to cancel
     */
    record ToolCallCancelRequest(CallId call) implements ControlMessage {}

    /**
     * Encodes version 1: {@code {"v":1,"cancel"}}, {@code {"v":1,"emitted","tenant"}} or {@code {"v":1,"withdraw"}}.
     */
    default String encode() {
        var json = MessageJson.newMessage();
        if (this instanceof ExecutionCancelRequest cancel) {
            json.put("cancel", cancel.execution().toString());
        } else if (this instanceof EventStored emitted) {
            json.put("emitted", emitted.name()).put("tenant", emitted.tenant());
        } else if (this instanceof ToolCallCancelRequest withdraw) {
            json.put("withdraw", withdraw.call().toString());
        }
        return json.toString();
    }

    /** Decodes the output of {@link #encode()}; throws {@link MalformedMessageException} for any other text. */
    static ControlMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        if (json.has("emitted")) {
            return new EventStored(MessageJson.text(json, "tenant"), MessageJson.text(json, "emitted"));
        }
        if (json.has("withdraw")) {
            try {
                return new ToolCallCancelRequest(CallId.parse(MessageJson.text(json, "withdraw")));
            } catch (IllegalArgumentException e) {
                throw new MalformedMessageException("withdraw is not a call id");
            }
        }
        return new ExecutionCancelRequest(ExecutionId.parse(MessageJson.text(json, "cancel"))
                .orElseThrow(() -> new MalformedMessageException("cancel is not an execution id")));
    }
}
