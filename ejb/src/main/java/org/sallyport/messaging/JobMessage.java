package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;

/**
 * "Look at this execution now." On {@link Destinations#JOBS}.
 *
 * @param job the execution that waits
 */
public record JobMessage(PendingJob job) {

    /** Version 1: {@code {"v":1,"id","tenant","priority","attempt"}}. */
    public String encode() {
        ObjectNode json = MessageJson.object();
        json.put("id", job.id().toString());
        json.put("tenant", job.tenant());
        json.put("priority", job.priority());
        json.put("attempt", job.attempt());
        return json.toString();
    }

    /** Reads what {@link #encode()} wrote; {@link BadMessageException} for anything else. */
    public static JobMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        ExecutionId id = ExecutionId.parse(MessageJson.text(json, "id"))
                .orElseThrow(() -> new BadMessageException("id is not an execution id"));
        return new JobMessage(new PendingJob(
                id,
                MessageJson.text(json, "tenant"),
                MessageJson.integer(json, "priority"),
                MessageJson.integer(json, "attempt")));
    }
}
