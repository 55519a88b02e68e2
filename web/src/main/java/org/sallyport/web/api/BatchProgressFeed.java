package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Waiting;
import org.sallyport.web.stream.Feed;

/** How far a batch is, as server-sent events: the numbers whenever they have changed, and the batch at the end. */
final class BatchProgressFeed implements Feed {
    private static final long SHORTEST_PAUSE_MILLIS = 250;

    private final BatchStore store;
    private final Waiting waiting;
    private final String tenant;
    private final BatchId id;
    private String told;

    /** @param told the id of the last event that the client knows, empty for none */
    BatchProgressFeed(BatchStore store, Waiting waiting, String tenant, BatchId id, String told) {
        this.store = store;
        this.waiting = waiting;
        this.tenant = tenant;
        this.id = id;
        this.told = told;
    }

    @Override
    public String mediaType() {
        return EventText.MEDIA_TYPE;
    }

    @Override
    public byte[] keepAlive() {
        return EventText.keepAlive();
    }

    @Override
    public CompletionStage<Void> pause(long millis) {
        return waiting.pause(Math.max(SHORTEST_PAUSE_MILLIS, millis));
    }

    @Override
    public Piece next() {
        Map<ExecutionState, Integer> counts = store.counts(id);
        String now = id(counts);
        if (!now.equals(told)) {
            told = now;
            ObjectNode data = Representation.object();
            data.set("counts", BatchRepresentation.counts(counts));
            return Piece.of(EventText.of(now, "progress", data));
        } else if (BatchRepresentation.finished(counts)) {
            Optional<Batch> batch = store.find(tenant, id);
            return batch.map(found ->
                            new Piece(EventText.of(END, "result", BatchRepresentation.batch(found, counts)), true))
                    .orElse(Piece.END);
        }
        return Piece.NOTHING;
    }

    /** Of the last event. */
    static final String END = "END";

    /** The numbers themselves, in the order of the states: what is known of them is known of the batch. */
    private static String id(Map<ExecutionState, Integer> counts) {
        StringBuilder id = new StringBuilder();
        for (ExecutionState state : ExecutionState.values()) {
            id.append(id.isEmpty() ? "" : ".").append(counts.getOrDefault(state, 0));
        }
        return id.toString();
    }
}
