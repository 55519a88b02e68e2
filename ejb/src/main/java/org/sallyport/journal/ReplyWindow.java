package org.sallyport.journal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sallyport.execution.ExecutionId;

/**
 * The replies of one journal that a run holds in memory: the next ones of those that it replays, up to
 * {@value #MAX_BYTES} bytes together. Not thread-safe.
 */
public final class ReplyWindow {
    static final long MAX_BYTES = 4L << 20;

    private final Map<ReplyPosition, TraceEvent.ToolEnded> replies = new HashMap<>();
    private long bytes;
    private boolean full;

    ReplyWindow() {}

    /** Adds the next reply unless it, or an earlier one, did not fit. */
    void offer(ReplyPosition position, TraceEvent.ToolEnded reply) {
        bytes += JournalSize.ofEntry(reply);
        full |= bytes > MAX_BYTES;
        if (!full) {
            replies.put(position, reply);
        }
    }

    Map<ReplyPosition, TraceEvent.ToolEnded> replies() {
        return replies;
    }

    /**
     * Reads replies: as many of the first ones as fit into a window, and at least the first. Waits for the store.
     *
     * @param entries {@link Journal#readEntries}
     * @param positions positions in the journal of one execution, in order; not empty
     * @return empty if the first is not stored any more
     * @throws org.sallyport.execution.StoreUnavailableException if the store is unavailable
     */
    public static Map<ReplyPosition, TraceEvent.ToolEnded> read(
            TracePager.TraceSource entries, List<ReplyPosition> positions) {
        ExecutionId execution = positions.get(0).execution();
        Set<Long> wanted = new HashSet<>();
        positions.forEach(position -> wanted.add(position.seq()));
        long lastSeq = positions.get(positions.size() - 1).seq();
        Map<ReplyPosition, TraceEvent.ToolEnded> found = new HashMap<>();
        long bytes = 0;
        TracePager pager = new TracePager(entries, execution, positions.get(0).seq() - 1);
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            for (TraceEvent event : page) {
                if (event instanceof TraceEvent.ToolEnded ended && wanted.contains(ended.seq())) {
                    bytes += JournalSize.ofEntry(ended);
                    if (bytes > MAX_BYTES && !found.isEmpty()) {
                        return found;
                    }
                    found.put(ReplyPosition.of(execution, ended), ended);
                }
                if (event.seq() >= lastSeq) {
                    return found.containsKey(positions.get(0)) ? found : Map.of();
                }
            }
        }
        return found.containsKey(positions.get(0)) ? found : Map.of();
    }
}
