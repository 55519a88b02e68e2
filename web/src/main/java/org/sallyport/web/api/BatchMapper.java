package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItem;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionState;

/** Maps batches to JSON. */
final class BatchMapper {
    private BatchMapper() {}

    static ObjectNode batch(Batch batch, Map<ExecutionState, Integer> counts) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", batch.id().toString());
        json.put("total", batch.total());
        json.put("refused", batch.rejected());
        json.put("coalesced", batch.coalesced());
        json.set("counts", counts(counts));
        json.put("finished", isFinished(counts));
        batch.maxParallel().ifPresent(maxParallel -> json.put("maxParallel", maxParallel));
        json.put("onFailure", batch.onFailure().name().toLowerCase(Locale.ROOT));
        batch.stopReason().ifPresent(why -> json.put("stopped", why));
        batch.cancellation().ifPresent(request -> json.set("cancellation", ExecutionMapper.cancellation(request)));
        batch.capability().ifPresent(capability -> json.put("capability", capability.toString()));
        batch.retryOf().ifPresent(original -> json.put("retryOf", original.toString()));
        json.put("submittedBy", batch.submitter());
        json.put("createdAt", batch.createdAt().toString());
        String self = "/api/v1/batches/" + batch.id();
        json.putObject("links")
                .put("self", self)
                .put("items", self + "/items")
                .put("results", self + "/results")
                .put("events", self + "/events")
                .put("cancel", self + "/cancel")
                .put("retry", self + "/retry");
        return json;
    }

    static ObjectNode counts(Map<ExecutionState, Integer> counts) {
        ObjectNode json = ExecutionMapper.object();
        counts.forEach((state, count) -> json.put(state.name(), count));
        return json;
    }

    /** Whether all executions of the batch have ended. */
    static boolean isFinished(Map<ExecutionState, Integer> counts) {
        return counts.keySet().stream().allMatch(ExecutionState::isTerminal);
    }

    /** The verdict on an item at submission. */
    static ObjectNode verdict(BatchItem item) {
        ObjectNode json = ExecutionMapper.object().put("index", item.index());
        item.execution().ifPresent(id -> json.put("execution", id.toString()));
        item.problem().ifPresent(problem -> json.set("problem", ExecutionMapper.raw(problem)));
        return json;
    }

    /** An item with its verdict and the state of its execution. */
    static ObjectNode item(BatchItem item) {
        ObjectNode json = verdict(item);
        item.state().ifPresent(state -> json.put("state", state.name()));
        return json;
    }

    /** An item with its verdict and the result of its execution, as far as available. */
    static ObjectNode result(BatchItem item, Optional<Execution> execution) {
        ObjectNode json = verdict(item);
        item.state().ifPresent(state -> json.put("state", state.name()));
        execution.ifPresent(found -> {
            json.put("state", found.state().name());
            ExecutionMapper.runMillis(found.summary()).ifPresent(millis -> json.put("runMillis", millis));
            found.result().ifPresent(result -> json.set("result", ExecutionMapper.raw(result)));
            found.error().ifPresent(error -> json.set("error", ExecutionMapper.error(error)));
        });
        return json;
    }
}
