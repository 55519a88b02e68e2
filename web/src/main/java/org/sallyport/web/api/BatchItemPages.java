package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.auth.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.JsonUtf8Writer;

/** Reads the items of batches page by page. Thread-safe. */
@ApplicationScoped
class BatchItemPages {
    private static final List<String> VALUES = List.of("args", "result", "error", "problem", "row");

    @Inject
    BatchStore store;

    @Inject
    ExecutionStore executions;

    ObjectNode read(Caller caller, Batch batch, BatchItemQuery query) {
        int after = Cursor.decodeIndex(query.cursor());
        List<BatchItem> found = query.unsuccessful()
                ? store.listUnsuccessfulItems(batch.id(), after, query.limit() + 1)
                : store.listItems(batch.id(), after, query.limit() + 1);
        List<ObjectNode> shown = new ArrayList<>();
        long bytes = 0;
        Optional<String> next = Optional.empty();
        for (BatchItem item : found) {
            if (shown.size() == query.limit() || bytes >= query.maxBytes()) {
                next = Optional.of(Cursor.encodeIndex(after));
                break;
            }
            ObjectNode json = query.results() ? result(caller, batch, item) : BatchMapper.item(item);
            bytes += omitLargeValues(json, query.maxValueBytes());
            shown.add(json);
            after = item.index();
        }
        return ExecutionMapper.list(shown, next);
    }

    private ObjectNode result(Caller caller, Batch batch, BatchItem item) {
        Optional<Execution> execution = item.execution().flatMap(id -> executions.find(caller.tenant(), id));
        ObjectNode json = BatchMapper.result(item, execution);
        if (batch.columns().isEmpty()) {
            execution.ifPresent(found -> json.set("args", ExecutionMapper.raw(found.args())));
        } else {
            store.findRow(batch.id(), item.index()).ifPresent(row -> json.set("row", ExecutionMapper.raw(row)));
        }
        return json;
    }

    /** Removes the values above {@code maxBytes}. Returns the size of the values that stay, in bytes. */
    static long omitLargeValues(ObjectNode item, int maxBytes) {
        long bytes = 0;
        for (String name : VALUES) {
            int size = item.has(name) ? JsonUtf8Writer.bytes(item.get(name)).length : 0;
            if (size > maxBytes) {
                item.remove(name);
                item.put(name + "Omitted", true);
            } else {
                bytes += size;
            }
        }
        return bytes;
    }
}
