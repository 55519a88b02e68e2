package org.sallyport.journal;

import java.util.List;
import java.util.function.Consumer;
import org.sallyport.execution.ExecutionId;

/**
 * Reads the events of one execution in pages of at most {@value #MAX_EVENTS} events and {@value #PAGE_BYTES} bytes. Not
 * thread-safe.
 */
public final class TracePager {
    /** Bytes of a page, as {@link JournalSize} counts them; a page of one event may have more. */
    public static final long PAGE_BYTES = 1L << 20;

    static final int MAX_EVENTS = 128;

    private final TraceSource source;
    private final ExecutionId id;
    private long last;

    /**
     * The source of events: the first events of an execution after a sequence number, at most {@code limit} and {@link
     * TracePager#PAGE_BYTES}, but at least one. Returns an empty list only after the last event.
     */
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
        List<TraceEvent> page = source.read(id, last, MAX_EVENTS);
        if (!page.isEmpty()) {
            last = page.get(page.size() - 1).seq();
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
