package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.execution.ExecutionId;

/** What all nodes are told, on {@link Destinations#CONTROL}. */
public sealed interface ControlMessage {

    /**
     * "Whoever runs this execution: stop it."
     *
     * @param execution the execution to stop
     */
    record Cancel(ExecutionId execution) implements ControlMessage {}

    /**
     * "An event of this name was stored: whoever waits for it may look."
     *
     * @param tenant whose event
     * @param name its name
     */
    record Emitted(String tenant, String name) implements ControlMessage {}

    /** Version 1: {@code {"v":1,"cancel"}} or {@code {"v":1,"emitted","tenant"}}. */
    default String encode() {
        var json = MessageJson.object();
        if (this instanceof Cancel cancel) {
            json.put("cancel", cancel.execution().toString());
        } else if (this instanceof Emitted emitted) {
            json.put("emitted", emitted.name()).put("tenant", emitted.tenant());
        }
        return json.toString();
    }

    /** Reads what {@link #encode()} wrote; {@link BadMessageException} for anything else. */
    static ControlMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        if (json.has("emitted")) {
            return new Emitted(MessageJson.text(json, "tenant"), MessageJson.text(json, "emitted"));
        }
        return new Cancel(ExecutionId.parse(MessageJson.text(json, "cancel"))
                .orElseThrow(() -> new BadMessageException("cancel is not an execution id")));
    }
}
