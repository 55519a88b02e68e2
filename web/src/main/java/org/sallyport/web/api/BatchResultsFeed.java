package org.sallyport.web.api;

import java.io.ByteArrayOutputStream;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Waiting;
import org.sallyport.web.JsonText;
import org.sallyport.web.stream.Feed;

/** What came of the items of a batch, a line each, in order. */
final class BatchResultsFeed implements Feed {
    static final String MEDIA_TYPE = "application/x-ndjson";

    private static final int ITEMS = 200;
    private static final int ENOUGH_BYTES = 64 << 10;

    private final BatchStore store;
    private final ExecutionStore executions;
    private final Waiting waiting;
    private final String tenant;
    private final BatchId id;
    private Iterator<BatchItem> page = List.<BatchItem>of().iterator();
    private int last = -1;

    BatchResultsFeed(BatchStore store, ExecutionStore executions, Waiting waiting, String tenant, BatchId id) {
        this.store = store;
        this.executions = executions;
        this.waiting = waiting;
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
    public CompletionStage<Void> pause(long millis) {
        return waiting.pause(millis);
    }

    @Override
    public Piece next() {
        if (!page.hasNext()) {
            List<BatchItem> items = store.items(id, last, ITEMS);
            if (items.isEmpty()) {
                return Piece.END;
            }
            page = items.iterator();
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        while (page.hasNext() && lines.size() < ENOUGH_BYTES) {
            BatchItem item = page.next();
            last = item.index();
            lines.writeBytes(JsonText.bytes(BatchRepresentation.result(
                    item, item.execution().flatMap(execution -> executions.find(tenant, execution)))));
            lines.write('\n');
        }
        return Piece.of(lines.toByteArray());
    }
}
