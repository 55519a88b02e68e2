package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * Wake-up for an execution that may be claimed, sent on {@link JmsDestinations#JOBS}.
 *
 * @param job the waiting execution
 */
public record JobMessage(ExecutionJob job) {

    /** Encodes version 1: {@code {"v":1,"id","tenant","priority","attempt"}}. */
    public String encode() {
        ObjectNode json = MessageJson.newMessage();
        json.put("id", job.id().toString());
        json.put("tenant", job.tenant());
        json.put("priority", job.priority());
        json.put("attempt", job.attempt());
        return json.toString();
    }

    /** Decodes the output of {@link #encode()}; throws {@link MalformedMessageException} for any other text. */
    public static JobMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        ExecutionId id = ExecutionId.parse(MessageJson.text(json, "id"))
                .orElseThrow(() -> new MalformedMessageException("id is not an execution id"));
        return new JobMessage(new ExecutionJob(
                id,
                MessageJson.text(json, "tenant"),
                MessageJson.integer(json, "priority"),
                MessageJson.integer(json, "attempt")));
    }
}
