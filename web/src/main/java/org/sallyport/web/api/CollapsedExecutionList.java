package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.auth.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;

/** The list of executions in which each batch is one entry. Thread-safe. */
@ApplicationScoped
class CollapsedExecutionList {
    /** Maximum number of windows of executions that one page examines: enough to pass over a batch of full size. */
    private static final int MAX_WINDOWS = 8;

    @Inject
    ExecutionStore executions;

    @Inject
    BatchStore batches;

    @Inject
    BatchStateCounter counter;

    /** The page in the form of {@code GET /executions?collapseBatches=true}. */
    ObjectNode read(Caller caller, ExecutionListQuery query) {
        List<ExecutionSummary> singles = new ArrayList<>();
        Optional<ExecutionId> end = query.beforeId();
        List<Batch> submitted = batches.list(
                caller.tenant(), query.beforeId().map(before -> new BatchId(before.value())), query.limit() + 1);
        List<Batch> examined = List.of();
        // The id of a batch is smaller than those of its executions, which have to be passed over first.
        for (int window = 0; window < MAX_WINDOWS && singles.isEmpty() && examined.isEmpty(); window++) {
            ExecutionPage page = executions.list(caller.tenant(), query.filter(), end, query.limit());
            singles.addAll(page.items());
            end = page.next();
            Optional<ExecutionId> edge = end;
            examined = submitted.stream()
                    .filter(batch -> edge.isEmpty() || id(batch).compareTo(edge.get()) > 0)
                    .toList();
            if (end.isEmpty()) {
                break;
            }
        }
        return toJson(query, singles, examined, end);
    }

    private ObjectNode toJson(
            ExecutionListQuery query, List<ExecutionSummary> singles, List<Batch> found, Optional<ExecutionId> end) {
        List<ExecutionId> ids = Stream.concat(
                        singles.stream().map(ExecutionSummary::id),
                        found.stream().map(CollapsedExecutionList::id))
                .sorted(Comparator.reverseOrder())
                .toList();
        Optional<ExecutionId> next = ids.size() > query.limit() ? Optional.of(ids.get(query.limit() - 1)) : end;
        ObjectNode json = ExecutionMapper.list(
                singles.stream()
                        .filter(item -> isShown(item.id(), next))
                        .map(ExecutionMapper::summary)
                        .toList(),
                next.map(last -> Cursor.encode(last, query.fingerprint())));
        ArrayNode array = json.putArray("batches");
        found.stream()
                .filter(batch -> isShown(id(batch), next))
                .forEach(batch -> array.add(BatchMapper.batch(batch, counter.count(batch.id()))));
        return json;
    }

    private static boolean isShown(ExecutionId id, Optional<ExecutionId> last) {
        return last.isEmpty() || id.compareTo(last.get()) >= 0;
    }

    private static ExecutionId id(Batch batch) {
        return new ExecutionId(batch.id().value());
    }
}
