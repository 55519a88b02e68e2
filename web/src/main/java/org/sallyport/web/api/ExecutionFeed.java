package org.sallyport.web.api;

import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Extent;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Hidden;
import org.sallyport.web.stream.Feed;

/**
 * What happens to one execution, as server-sent events: made of what the store holds beyond a position, so that it goes on
 * from there on any node.
 */
final class ExecutionFeed implements Feed {
    private static final int OUTPUT_CHARS = 32_768;
    private static final int TRACE_EVENTS = 64;
    /** A reader who takes nothing leaves no more than that lying here, but for one event. */
    private static final long TRACE_CHARS = 256 << 10;

    private final ExecutionStore store;
    private final Journal journal;
    private final NestedRunStore nested;
    private final Waiting waiting;
    private final Hidden hidden;
    private final String tenant;
    private final ExecutionId id;
    private Position position;
    private @Nullable Extent seen;

    ExecutionFeed(
            ExecutionStore store,
            Journal journal,
            NestedRunStore nested,
            Waiting waiting,
            Hidden hidden,
            String tenant,
            ExecutionId id,
            Position position) {
        this.store = store;
        this.journal = journal;
        this.nested = nested;
        this.waiting = waiting;
        this.hidden = hidden;
        this.tenant = tenant;
        this.id = id;
        this.position = position;
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
        return waiting.endOr(id, millis);
    }

    @Override
    public Piece next() {
        Extent now = seen;
        if (now == null) {
            Optional<Extent> found = store.extent(tenant, id);
            if (found.isEmpty()) {
                return Piece.END;
            }
            now = found.get();
            seen = now;
        }
        Piece piece = next(now);
        if (piece.bytes().length == 0) {
            seen = null;
        }
        return piece;
    }

    /** All that it wrote in a state comes before the end, and nothing after it. */
    private Piece next(Extent now) {
        if (!now.state().terminal() && !position.knows(now)) {
            return state(now);
        } else if (position.seq() < now.lastSeq()) {
            return trace(now);
        } else if (position.output() < now.outputLength()) {
            String text = store.output(id, OutputKind.OUT, position.output(), OUTPUT_CHARS);
            long from = position.output();
            position = position.withOutput(from + text.length());
            return text.isEmpty() ? Piece.END : output("output", from, text);
        } else if (position.error() < now.errorOutputLength()) {
            String text = store.output(id, OutputKind.ERR, position.error(), OUTPUT_CHARS);
            long from = position.error();
            position = position.withError(from + text.length());
            return text.isEmpty() ? Piece.END : output("error-output", from, text);
        } else if (now.state().terminal()) {
            return position.knows(now) ? result() : state(now);
        }
        return Piece.NOTHING;
    }

    private Piece state(Extent now) {
        position = position.knowing(now);
        return event(
                "state",
                Representation.object().put("state", now.state().name()).put("attempt", now.attempt()));
    }

    private Piece output(String name, long offset, String text) {
        return event(name, Representation.object().put("offset", offset).put("text", text));
    }

    private Piece trace(Extent now) {
        TracePage page = TracePage.read(journal::trace, id, position.seq(), TRACE_EVENTS, TRACE_CHARS);
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        NestedCalls calls = NestedCalls.of(nested, id, page.events());
        WithoutSecrets shown = new WithoutSecrets(hidden.of(tenant));
        for (TraceEvent event : page.events()) {
            position = position.withSeq(event.seq());
            piece.writeBytes(EventText.of(position.toString(), "trace", Representation.event(shown.of(event), calls)));
        }
        if (!page.more()) {
            // What follows up to there is not for people.
            position = position.withSeq(Math.max(position.seq(), now.lastSeq()));
        }
        return piece.size() == 0 ? next(now) : Piece.of(piece.toByteArray());
    }

    private Piece result() {
        Optional<Execution> ended = store.find(tenant, id);
        position = position.atEnd();
        return ended.map(execution -> new Piece(
                        EventText.of(
                                position.toString(),
                                "result",
                                Representation.execution(
                                        execution, new Representation.Output("", ""), OptionalLong.empty())),
                        true))
                .orElse(Piece.END);
    }

    private Piece event(String name, com.fasterxml.jackson.databind.node.ObjectNode data) {
        return Piece.of(EventText.of(position.toString(), name, data));
    }
}
