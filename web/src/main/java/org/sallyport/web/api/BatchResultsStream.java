package org.sallyport.web.api;

import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItemLoader;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.LoadedBatchItem;
import org.sallyport.batch.SizedBatchItem;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.async.StreamSource;

/** The results of the items of a batch, in their order. */
final class BatchResultsStream implements StreamSource {
    private static final int PAGE_SIZE = 200;
    private static final int TARGET_CHUNK_BYTES = 64 << 10;

    private final BatchStore store;
    private final ExecutionStore executions;
    private final CompletionWaiter waiter;
    private final String tenant;
    private final Batch batch;
    private final BatchResultFormat format;
    private Iterator<LoadedBatchItem> page = Collections.emptyIterator();
    private int lastIndex = -1;
    private boolean headerWritten;

    BatchResultsStream(
            BatchStore store,
            ExecutionStore executions,
            CompletionWaiter waiting,
            String tenant,
            Batch batch,
            BatchResultFormat format) {
        this.store = store;
        this.executions = executions;
        this.waiter = waiting;
        this.tenant = tenant;
        this.batch = batch;
        this.format = format;
    }

    @Override
    public String mediaType() {
        return format.mediaType();
    }

    @Override
    public byte[] keepAlive() {
        return new byte[0];
    }

    @Override
    public CompletionStage<Void> awaitNext(long millis) {
        return waiter.delay(millis);
    }

    @Override
    public StreamChunk next() {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        if (!headerWritten) {
            headerWritten = true;
            chunk.writeBytes(format.header());
        }
        if (!page.hasNext()) {
            List<SizedBatchItem> items = store.listSizedItems(batch.id(), lastIndex, PAGE_SIZE, false);
            if (items.isEmpty()) {
                return new StreamChunk(chunk.toByteArray(), true);
            }
            page = new BatchItemLoader(store, executions, tenant, batch, items);
        }
        while (page.hasNext() && chunk.size() < TARGET_CHUNK_BYTES) {
            LoadedBatchItem item = page.next();
            lastIndex = item.item().index();
            chunk.writeBytes(format.item(item.item(), item.execution(), item.row()));
        }
        return StreamChunk.of(chunk.toByteArray());
    }
}
