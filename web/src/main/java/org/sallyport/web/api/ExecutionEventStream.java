package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionVersion;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.web.async.StreamSource;

/**
 * The events of one execution as server-sent events. Reads everything after a position from the store, so that any node
 * can continue the stream.
 */
final class ExecutionEventStream implements StreamSource {
    private static final int MAX_OUTPUT_CHARS = 32_768;
    private static final int MAX_TRACE_EVENTS = 64;
    /**
     * Maximum characters of trace per chunk, unless one event is larger. Bounds what is held for a client that does not
     * read.
     */
    private static final long MAX_TRACE_CHARS = 256 << 10;

    private final ExecutionStore store;
    private final Journal journal;
    private final NestedExecutionStore nested;
    private final CompletionWaiter waiter;
    private final RedactionProvider redactions;
    private final String tenant;
    private final ExecutionId id;
    private EventPosition position;
    private @Nullable ExecutionVersion polledVersion;

    ExecutionEventStream(
            ExecutionStore store,
            Journal journal,
            NestedExecutionStore nested,
            CompletionWaiter waiting,
            RedactionProvider hidden,
            String tenant,
            ExecutionId id,
            EventPosition position) {
        this.store = store;
        this.journal = journal;
        this.nested = nested;
        this.waiter = waiting;
        this.redactions = hidden;
        this.tenant = tenant;
        this.id = id;
        this.position = position;
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
        return waiter.awaitLocalEnd(id, millis);
    }

    @Override
    public StreamChunk next() {
        ExecutionVersion now = polledVersion;
        if (now == null) {
            Optional<ExecutionVersion> found = store.pollVersion(tenant, id);
            if (found.isEmpty()) {
                return StreamChunk.END;
            }
            now = found.get();
            polledVersion = now;
        }
        StreamChunk piece = next(now);
        if (piece.bytes().length == 0) {
            polledVersion = null;
        }
        return piece;
    }

    /** Returns the next chunk. All trace and output of a state come before the end event; nothing follows it. */
    private StreamChunk next(ExecutionVersion now) {
        if (!now.state().isTerminal() && !position.hasSeen(now)) {
            return state(now);
        } else if (position.seq() < now.lastSeq()) {
            return trace(now);
        } else if (position.outputOffset() < now.outputLength() || position.errorOffset() < now.errorOutputLength()) {
            return output();
        } else if (now.state().isTerminal()) {
            return position.hasSeen(now) ? result() : state(now);
        }
        return StreamChunk.NOTHING_YET;
    }

    private StreamChunk state(ExecutionVersion now) {
        position = position.withState(now);
        return event(
                "state",
                ExecutionMapper.object().put("state", now.state().name()).put("attempt", now.attempt()));
    }

    private StreamChunk output() {
        OutputEvents events = OutputEvents.of(
                id,
                position,
                store.readOutputInOrder(id, position.outputOffset(), position.errorOffset(), MAX_OUTPUT_CHARS));
        position = events.end();
        // Stored output that cannot be read was deleted with its execution.
        byte[] bytes = events.bytes();
        return bytes.length == 0 ? StreamChunk.END : StreamChunk.of(bytes);
    }

    private StreamChunk trace(ExecutionVersion now) {
        TracePage page = TracePage.read(journal::readTrace, id, position.seq(), MAX_TRACE_EVENTS, MAX_TRACE_CHARS);
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        CapabilityCallIndex calls = CapabilityCallIndex.of(nested, id, page.events());
        TraceRedactor shown = new TraceRedactor(redactions.redactorFor(tenant));
        for (TraceEvent event : page.events()) {
            position = position.withSeq(event.seq());
            ObjectNode json = ExecutionMapper.event(shown.redact(event), calls);
            ExecutionMapper.addCancellation(json, event, () -> store.find(tenant, id));
            piece.writeBytes(SseWriter.event(position.toString(), "trace", json));
        }
        if (!page.more()) {
            // Skips the remaining events up to there: they are not shown to clients.
            position = position.withSeq(Math.max(position.seq(), now.lastSeq()));
        }
        return piece.size() == 0 ? next(now) : StreamChunk.of(piece.toByteArray());
    }

    private StreamChunk result() {
        Optional<Execution> ended = store.find(tenant, id);
        position = position.atEnd();
        return ended.map(execution -> new StreamChunk(
                        SseWriter.event(
                                position.toString(),
                                "result",
                                ExecutionMapper.execution(
                                        execution, new ExecutionMapper.ExecutionOutput("", ""), OptionalLong.empty())),
                        true))
                .orElse(StreamChunk.END);
    }

    private StreamChunk event(String name, com.fasterxml.jackson.databind.node.ObjectNode data) {
        return StreamChunk.of(SseWriter.event(position.toString(), name, data));
    }
}
