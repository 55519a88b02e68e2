package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.configuration.EventSettings;
import org.sallyport.event.EventBus;
import org.sallyport.event.PublishedEvent;
import org.sallyport.redaction.RedactedEvent;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;
import org.sallyport.web.async.StreamSource;

/**
 * The events of a tenant as server-sent events. Reads everything after a position from the store, which serves as the
 * queue of the subscriber: no event is held in memory for a client that does not read, and any node can continue the
 * stream. The stream ends when the client leaves too many new events unread.
 */
final class TenantEventStream implements StreamSource {
    private static final int MAX_EVENTS_PER_CHUNK = 64;
    /** A chunk is larger only if one event is. */
    private static final int MAX_CHUNK_BYTES = 64 << 10;

    private final EventBus events;
    private final RedactionProvider redactions;
    private final String tenant;
    private final Set<String> names;
    private final long openedAt;
    private final long maxUnread;
    /** Sequence number up to which the client has all events of the names. */
    private long position;

    private boolean begun;

    /** Position that the client sent, if the store has not reached it; 0 otherwise. */
    private final long unknownPosition;

    /**
     * @param names names of the events; empty for all
     * @param position sequence number of the last event that the client has; larger than that of the last event if the
     *     database was restored
     * @param maxUnread number of events that the client may leave unread, of those that are newer than this stream
     */
    TenantEventStream(
            EventBus events,
            RedactionProvider hidden,
            String tenant,
            Set<String> names,
            long position,
            long maxUnread) {
        this.events = events;
        this.redactions = hidden;
        this.tenant = tenant;
        this.names = names;
        this.openedAt = events.lastSeq(tenant);
        this.position = Math.min(position, openedAt);
        this.unknownPosition = position > openedAt ? position : 0;
        this.maxUnread = maxUnread;
    }

    @Override
    public String mediaType() {
        return SseWriter.MEDIA_TYPE;
    }

    /** Tells the client its position, so that it does not continue before events of other names. */
    @Override
    public byte[] keepAlive() {
        return ("id: " + position + "\n\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public CompletionStage<Void> awaitNext(long millis) {
        return events.awaitStored(tenant, names, Duration.ofMillis(millis));
    }

    @Override
    public StreamChunk next() {
        if (!begun) {
            // A client that loses its connection before the first event misses none.
            begun = true;
            return StreamChunk.of(unknownPosition > 0 ? reset() : keepAlive());
        }
        long last = events.lastSeq(tenant);
        if (last <= position) {
            return StreamChunk.NOTHING_YET;
        }
        long unread = last - Math.max(position, openedAt) > maxUnread ? countUnread(last) : 0;
        if (unread > maxUnread) {
            return slowReader(unread);
        }
        long start = position;
        byte[] page = page(last);
        // After the page, because retention may delete events while it is read; it deletes the lowest numbers first.
        OptionalLong first = events.firstSeqAfter(tenant, start);
        long deletedUpTo = first.isPresent() ? first.getAsLong() - 1 : last;
        if (deletedUpTo > start) {
            return gap(start, deletedUpTo);
        }
        return page.length == 0 ? StreamChunk.NOTHING_YET : StreamChunk.of(page);
    }

    /** Events that are newer than this stream, from the first one of the names that the client does not have. */
    private long countUnread(long last) {
        return events.findNext(tenant, names, position)
                .map(next -> last - Math.max(next.event().seq() - 1, openedAt))
                .orElse(0L);
    }

    /** Reads the next events and moves the position behind them. */
    private byte[] page(long last) {
        Redactor redactor = redactions.redactorFor(tenant);
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        for (int i = 0; i < MAX_EVENTS_PER_CHUNK && chunk.size() < MAX_CHUNK_BYTES; i++) {
            Optional<PublishedEvent> found = events.findNext(tenant, names, position);
            if (found.isEmpty()) {
                // Events become visible in the order of their numbers, so none of these names is up to there.
                position = Math.max(position, last);
                break;
            }
            position = found.get().event().seq();
            chunk.writeBytes(SseWriter.event(Long.toString(position), "event", represent(found.get(), redactor)));
        }
        return chunk.toByteArray();
    }

    private static ObjectNode represent(PublishedEvent published, Redactor redactor) {
        RedactedEvent shown =
                RedactedEvent.of(published.event().name(), published.event().data(), redactor);
        ObjectNode json = ExecutionMapper.object()
                .put("seq", published.event().seq())
                .put("name", shown.name())
                .put("at", published.at().toString());
        json.set("payload", ExecutionMapper.raw(shown.data()));
        published.emittedBy().ifPresent(emitter -> json.put("emittedBy", emitter));
        return json;
    }

    /** Tells the client that events after {@code start} were deleted by retention before it has read them. */
    private StreamChunk gap(long start, long to) {
        ObjectNode data = ExecutionMapper.object().put("from", start + 1).put("to", to);
        position = to;
        return StreamChunk.of(SseWriter.event(Long.toString(to), "gap", data));
    }

    /** Tells the client that the database has lost events that it knows, and continues with new events. */
    private byte[] reset() {
        ObjectNode data = ExecutionMapper.object().put("after", unknownPosition).put("last", position);
        return SseWriter.event(Long.toString(position), "reset", data);
    }

    /** The client can continue at its position with a new stream, whose unread events count from then on. */
    private StreamChunk slowReader(long unread) {
        ObjectNode data = ExecutionMapper.object()
                .put("reason", "slow-reader")
                .put("unread", unread)
                .put(
                        "detail",
                        "more than " + maxUnread + " new events are unread (the server's "
                                + EventSettings.MAX_UNREAD.name()
                                + "); connect again with this id as Last-Event-ID to continue");
        return new StreamChunk(SseWriter.event(Long.toString(position), "end", data), true);
    }
}
