package org.sallyport.web.api;

import java.io.ByteArrayOutputStream;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.async.StreamSource;

/** The results of the items of a batch, one line each, in the order of the items. */
final class BatchResultsStream implements StreamSource {
    static final String MEDIA_TYPE = "application/x-ndjson";

    private static final int PAGE_SIZE = 200;
    private static final int TARGET_CHUNK_BYTES = 64 << 10;

    private final BatchStore store;
    private final ExecutionStore executions;
    private final CompletionWaiter waiter;
    private final String tenant;
    private final BatchId id;
    private Iterator<BatchItem> page = List.<BatchItem>of().iterator();
    private int lastIndex = -1;

    BatchResultsStream(
            BatchStore store, ExecutionStore executions, CompletionWaiter waiting, String tenant, BatchId id) {
        this.store = store;
        this.executions = executions;
        this.waiter = waiting;
        this.tenant = tenant;
        this.id = id;
    }

    @Override
    public String mediaType() {
        return MEDIA_TYPE;
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
        if (!page.hasNext()) {
            List<BatchItem> items = store.listItems(id, lastIndex, PAGE_SIZE);
            if (items.isEmpty()) {
                return StreamChunk.END;
            }
            page = items.iterator();
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        while (page.hasNext() && lines.size() < TARGET_CHUNK_BYTES) {
            BatchItem item = page.next();
            lastIndex = item.index();
            lines.writeBytes(JsonUtf8Writer.bytes(BatchMapper.result(
                    item, item.execution().flatMap(execution -> executions.find(tenant, execution)))));
            lines.write('\n');
        }
        return StreamChunk.of(lines.toByteArray());
    }
}
