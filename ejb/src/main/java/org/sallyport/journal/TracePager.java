package org.sallyport.journal;

import java.util.List;
import java.util.function.Consumer;
import org.sallyport.execution.ExecutionId;

/**
 * Reads the events of one execution in pages whose size follows the size of the events: about one mebibyte each, and
 * never more than {@value #MAX_EVENTS} events. Not thread-safe.
 */
public final class TracePager {
    /** One event may have megabytes, so the reads stay small until the size of the events is known. */
    private static final int MIN_EVENTS = 4;

    private static final int MAX_EVENTS = 128;
    private static final long PAGE_BYTES = 1L << 20;

    private final TraceSource source;
    private final ExecutionId id;
    private long last;
    private int limit = MIN_EVENTS;
    private boolean ended;

    /** The source of events: the events of an execution after a sequence number, at most {@code limit}. */
    public interface TraceSource {
        List<TraceEvent> read(ExecutionId id, long after, int limit);
    }

    /** @param source {@link Journal#readTrace} or {@link Journal#readEntries} */
    public TracePager(TraceSource source, ExecutionId id) {
        this(source, id, 0);
    }

    /** Reads only the events with a larger sequence number than {@code after}. */
    TracePager(TraceSource source, ExecutionId id, long after) {
        this.source = source;
        this.id = id;
        this.last = after;
    }

    /** Returns the next events; empty after the last one. */
    public List<TraceEvent> nextPage() {
        if (ended) {
            return List.of();
        }
        List<TraceEvent> page = source.read(id, last, limit);
        ended = page.size() < limit;
        if (!page.isEmpty()) {
            last = page.get(page.size() - 1).seq();
            long average = JournalSize.ofEntries(page) / page.size();
            limit = (int) Math.max(MIN_EVENTS, Math.min(Math.min(MAX_EVENTS, limit * 2L), PAGE_BYTES / average));
        }
        return page;
    }

    /** Passes all events of the execution to {@code action}, in order. */
    public static void forEach(TraceSource source, ExecutionId id, Consumer<TraceEvent> action) {
        TracePager pager = new TracePager(source, id);
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            page.forEach(action);
        }
    }
}
