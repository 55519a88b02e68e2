package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionState;
import org.sallyport.web.async.StreamSource;

/** The progress of a batch as server-sent events: the counts whenever they change, and the batch at the end. */
final class BatchProgressStream implements StreamSource {
    private static final long MIN_PAUSE_MILLIS = 250;

    private final BatchStore store;
    private final CompletionWaiter waiter;
    private final String tenant;
    private final BatchId id;
    private String lastEventId;

    /** @param lastEventId id of the last event that the client received; empty for none */
    BatchProgressStream(BatchStore store, CompletionWaiter waiting, String tenant, BatchId id, String lastEventId) {
        this.store = store;
        this.waiter = waiting;
        this.tenant = tenant;
        this.id = id;
        this.lastEventId = lastEventId;
    }

    @Override
    public String mediaType() {
        return SseWriter.MEDIA_TYPE;
    }

    @Override
    public byte[] keepAlive() {
        return SseWriter.keepAlive();
    }

    @Override
    public CompletionStage<Void> awaitNext(long millis) {
        return waiter.delay(Math.max(MIN_PAUSE_MILLIS, millis));
    }

    @Override
    public StreamChunk next() {
        Map<ExecutionState, Integer> counts = store.countByState(id);
        String now = eventId(counts);
        if (!now.equals(lastEventId)) {
            lastEventId = now;
            ObjectNode data = ExecutionMapper.object();
            data.set("counts", BatchMapper.counts(counts));
            return StreamChunk.of(SseWriter.event(now, "progress", data));
        } else if (BatchMapper.isFinished(counts)) {
            Optional<Batch> batch = store.find(tenant, id);
            return batch.map(found ->
                            new StreamChunk(SseWriter.event(END, "result", BatchMapper.batch(found, counts)), true))
                    .orElse(StreamChunk.END);
        }
        return StreamChunk.NOTHING_YET;
    }

    /** The id of the last event. */
    static final String END = "END";

    /**
     * The event id consists of the counts, in the order of the states: a client that knows the counts knows the
     * progress of the batch.
     */
    private static String eventId(Map<ExecutionState, Integer> counts) {
        StringBuilder id = new StringBuilder();
        for (ExecutionState state : ExecutionState.values()) {
            id.append(id.isEmpty() ? "" : ".").append(counts.getOrDefault(state, 0));
        }
        return id.toString();
    }
}
