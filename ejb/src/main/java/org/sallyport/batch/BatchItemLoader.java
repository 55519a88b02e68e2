package org.sallyport.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.tool.Json;

/**
 * Loads the executions and rows of items, several items at a time: as many as have together at most {@link #MAX_BYTES},
 * at least one. So neither the number of statements nor the memory grows with the number of items alone. Not
 * thread-safe.
 */
public final class BatchItemLoader implements Iterator<LoadedBatchItem> {
    /** Bytes of stored items that are in memory at one time, unless a single item has more. */
    static final long MAX_BYTES = 256 << 10;

    private static final int MAX_ITEMS = 500;

    private final BatchStore store;
    private final ExecutionStore executions;
    private final String tenant;
    private final Batch batch;
    private final Deque<SizedBatchItem> waiting;
    private final Deque<LoadedBatchItem> loaded = new ArrayDeque<>();
    private boolean isFirst = true;

    /**
     * @param batch a batch of the tenant
     * @param items items of the batch by their index, read just now, in the order in which they are returned
     */
    public BatchItemLoader(
            BatchStore store, ExecutionStore executions, String tenant, Batch batch, List<SizedBatchItem> items) {
        this.store = store;
        this.executions = executions;
        this.tenant = tenant;
        this.batch = batch;
        this.waiting = new ArrayDeque<>(items);
    }

    @Override
    public boolean hasNext() {
        return !loaded.isEmpty() || !waiting.isEmpty();
    }

    /** Returns the next item. Waits for the store when none is loaded. */
    @Override
    public LoadedBatchItem next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (loaded.isEmpty()) {
            load(takeNext());
        }
        return loaded.remove();
    }

    private List<BatchItem> takeNext() {
        List<SizedBatchItem> slice = takeSlice();
        if (!isFirst && slice.stream().anyMatch(BatchItemLoader::canGrow)) {
            // Their executions may have ended with large results since their sizes were read.
            replaceSizes(slice);
            slice = takeSlice();
        }
        isFirst = false;
        return slice.stream().map(SizedBatchItem::item).toList();
    }

    private static boolean canGrow(SizedBatchItem item) {
        return item.item().state().filter(state -> !state.isTerminal()).isPresent();
    }

    /** Puts the items back with their current sizes. */
    private void replaceSizes(List<SizedBatchItem> slice) {
        int first = slice.get(0).item().index();
        int last = slice.get(slice.size() - 1).item().index();
        Map<Integer, SizedBatchItem> current = new HashMap<>();
        store.listSizedItems(batch.id(), first - 1, last - first + 1, false)
                .forEach(item -> current.put(item.item().index(), item));
        for (int i = slice.size() - 1; i >= 0; i--) {
            SizedBatchItem item = slice.get(i);
            waiting.addFirst(current.getOrDefault(item.item().index(), item));
        }
    }

    private List<SizedBatchItem> takeSlice() {
        List<SizedBatchItem> items = new ArrayList<>();
        long bytes = 0;
        for (SizedBatchItem next = waiting.peek();
                next != null && items.size() < MAX_ITEMS && (items.isEmpty() || bytes + next.bytes() <= MAX_BYTES);
                next = waiting.peek()) {
            bytes += next.bytes();
            items.add(waiting.remove());
        }
        return items;
    }

    private void load(List<BatchItem> items) {
        List<ExecutionId> ids = items.stream()
                .flatMap(item -> item.execution().stream())
                .distinct()
                .toList();
        Map<ExecutionId, Execution> found = new HashMap<>();
        if (!ids.isEmpty()) {
            executions.findAll(tenant, ids).forEach(execution -> found.put(execution.id(), execution));
        }
        Map<Integer, Json> rows = batch.columns().isEmpty()
                ? Map.of()
                : store.findRows(
                        batch.id(), items.stream().map(BatchItem::index).toList());
        items.forEach(item -> loaded.add(new LoadedBatchItem(
                item, item.execution().map(found::get), Optional.ofNullable(rows.get(item.index())))));
    }
}
