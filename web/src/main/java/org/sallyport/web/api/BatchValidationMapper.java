package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.Optional;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchRequest.BatchRequestEntry;
import org.sallyport.submission.BatchRequest.BatchRequestItem;
import org.sallyport.submission.BatchSubmissionResult.BatchChecked;
import org.sallyport.tool.Json;

/** Maps the check of a batch to JSON. */
final class BatchValidationMapper {
    private static final int SHOWN_ITEMS = 5;
    private static final int SHOWN_PROBLEMS = 100;
    private static final int MAX_VALUE_BYTES = 10_000;

    private BatchValidationMapper() {}

    static ObjectNode toJson(BatchRequest request, BatchChecked checked) {
        ObjectNode json = ExecutionMapper.object();
        request.capability().ifPresent(capability -> json.put("capability", capability.toString()));
        ArrayNode columns = json.putArray("columns");
        request.columns().forEach(columns::add);
        json.put("total", checked.total());
        json.put("refused", checked.problems().size());
        json.put("coalesced", checked.coalesced());
        ArrayNode items = json.putArray("items");
        Iterator<BatchRequestEntry> entries = request.items().read();
        for (int index = 0; index < SHOWN_ITEMS && entries.hasNext(); index++) {
            items.add(item(index, entries.next(), checked));
        }
        ArrayNode problems = json.putArray("problems");
        checked.problems().entrySet().stream()
                .limit(SHOWN_PROBLEMS)
                .forEach(entry -> problems.add(problem(entry.getKey(), entry.getValue())));
        return json;
    }

    private static ObjectNode item(int index, BatchRequestEntry entry, BatchChecked checked) {
        ObjectNode json = ExecutionMapper.object().put("index", index);
        args(entry.item()).ifPresent(args -> json.set("args", ExecutionMapper.raw(args)));
        entry.row().ifPresent(row -> json.set("row", ExecutionMapper.raw(row)));
        Optional.ofNullable(checked.problems().get(index))
                .ifPresent(problem -> json.set("problem", ExecutionMapper.raw(problem)));
        BatchItemPages.omitLargeValues(json, MAX_VALUE_BYTES);
        return json;
    }

    private static Optional<Json> args(BatchRequestItem item) {
        if (item instanceof BatchRequestItem.SubmissionItem submission) {
            return Optional.of(submission.submission().args());
        } else if (item instanceof BatchRequestItem.CapabilityItem capability) {
            return Optional.of(capability.call().options().args());
        } else if (item instanceof BatchRequestItem.SavedScriptItem script) {
            return Optional.of(script.call().options().args());
        }
        return Optional.empty();
    }

    private static ObjectNode problem(int index, Json problem) {
        ObjectNode json = ExecutionMapper.object().put("index", index);
        json.set("problem", ExecutionMapper.raw(problem));
        BatchItemPages.omitLargeValues(json, MAX_VALUE_BYTES);
        return json;
    }
}
