package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Reduces the REST representation of batches to the members that agents need. */
final class BatchView {
    private static final List<String> MEMBERS = List.of(
            "id",
            "capability",
            "total",
            "refused",
            "coalesced",
            "counts",
            "finished",
            "maxParallel",
            "onFailure",
            "stopped",
            "cancellation",
            "retryOf",
            "submittedBy",
            "createdAt");
    /** Number of refused items that the refusal of a whole batch names. */
    private static final int MAX_REFUSED_ITEMS = 20;

    private BatchView() {}

    static ObjectNode batch(ObjectNode represented) {
        represented.retain(MEMBERS);
        if (represented.path("counts").has("WAITING")) {
            represented.put(
                    "note",
                    "some executions wait, for a time or for an approver; call execution_status with the id of one");
        } else if (!represented.path("finished").asBoolean()) {
            represented.put("note", "the batch has not ended; call batch_status with its id");
        }
        return represented;
    }

    /** Shortens the refusal of a batch to its first refused items; its message has their number. */
    static ToolOutcome shortened(ToolOutcome refusal) {
        JsonNode items = refusal.content().path("error").path("items");
        if (items instanceof ArrayNode all) {
            while (all.size() > MAX_REFUSED_ITEMS) {
                all.remove(all.size() - 1);
            }
        }
        return refusal;
    }
}
