package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchItemLoader;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.LoadedBatchItem;
import org.sallyport.batch.SizedBatchItem;
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
        if (query.results()) {
            List<SizedBatchItem> found =
                    store.listSizedItems(batch.id(), after, query.limit() + 1, query.unsuccessful());
            Iterator<LoadedBatchItem> items = new BatchItemLoader(store, executions, caller.tenant(), batch, found);
            return page(query, items, LoadedBatchItem::item, item -> result(batch, item));
        }
        List<BatchItem> found = query.unsuccessful()
                ? store.listUnsuccessfulItems(batch.id(), after, query.limit() + 1)
                : store.listItems(batch.id(), after, query.limit() + 1);
        return page(query, found.iterator(), item -> item, BatchMapper::item);
    }

    private static <T> ObjectNode page(
            BatchItemQuery query, Iterator<T> items, Function<T, BatchItem> itemOf, Function<T, ObjectNode> mapper) {
        List<ObjectNode> shown = new ArrayList<>();
        long bytes = 0;
        int last = -1;
        while (items.hasNext()) {
            if (shown.size() == query.limit() || bytes >= query.maxBytes()) {
                return ExecutionMapper.list(shown, Optional.of(Cursor.encodeIndex(last)));
            }
            T item = items.next();
            ObjectNode json = mapper.apply(item);
            bytes += omitLargeValues(json, query.maxValueBytes());
            shown.add(json);
            last = itemOf.apply(item).index();
        }
        return ExecutionMapper.list(shown, Optional.empty());
    }

    private static ObjectNode result(Batch batch, LoadedBatchItem item) {
        ObjectNode json = BatchMapper.result(item.item(), item.execution());
        if (batch.columns().isEmpty()) {
            item.execution().ifPresent(found -> json.set("args", ExecutionMapper.raw(found.args())));
        } else {
            item.row().ifPresent(row -> json.set("row", ExecutionMapper.raw(row)));
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
