package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.CallId;

/** What all nodes are told, on {@link JmsDestinations#CONTROL}. */
public sealed interface ControlMessage {

    /**
     * "Whoever runs this execution: stop it."
     *
     * @param execution the execution to stop
     */
    record ExecutionCancelRequest(ExecutionId execution) implements ControlMessage {}

    /**
     * "An event of this name was stored: whoever waits for it may look."
     *
     * @param tenant whose event
     * @param name its name
     */
    record EventStored(String tenant, String name) implements ControlMessage {}

    /**
     * "Whoever has this call of a tool: nobody waits for it, do not begin it any more."
     *
     * @param call the call
     */
    record ToolCallCancelRequest(CallId call) implements ControlMessage {}

    /** Version 1: {@code {"v":1,"cancel"}}, {@code {"v":1,"emitted","tenant"}} or {@code {"v":1,"withdraw"}}. */
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

    /** Reads what {@link #encode()} wrote; {@link MalformedMessageException} for anything else. */
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
