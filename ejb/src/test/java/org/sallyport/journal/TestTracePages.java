package org.sallyport.journal;

import java.util.ArrayList;
import java.util.List;

/** Pages of traces that a test holds in memory. */
public final class TestTracePages {
    private TestTracePages() {}

    /** Returns the page of {@code events} that a {@link Journal} returns. */
    public static List<TraceEvent> page(List<TraceEvent> events, long after, int limit) {
        List<TraceEvent> page = new ArrayList<>();
        long bytes = 0;
        for (TraceEvent event : events) {
            if (event.seq() > after && page.size() < limit) {
                bytes += JournalSize.ofEntry(event);
                if (bytes > TracePager.PAGE_BYTES && !page.isEmpty()) {
                    return page;
                }
                page.add(event);
            }
        }
        return page;
    }
}
