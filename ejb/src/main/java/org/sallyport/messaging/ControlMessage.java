package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.execution.ExecutionId;

/**
 * "Whoever runs this execution: stop it." On {@link Destinations#CONTROL}.
 *
 * @param cancel the execution to stop
 */
public record ControlMessage(ExecutionId cancel) {

    /** Version 1: {@code {"v":1,"cancel"}}. */
    public String encode() {
        return MessageJson.object().put("cancel", cancel.toString()).toString();
    }

    /** Reads what {@link #encode()} wrote; {@link BadMessageException} for anything else. */
    public static ControlMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        return new ControlMessage(ExecutionId.parse(MessageJson.text(json, "cancel"))
                .orElseThrow(() -> new BadMessageException("cancel is not an execution id")));
    }
}
