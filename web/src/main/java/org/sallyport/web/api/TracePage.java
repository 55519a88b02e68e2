package org.sallyport.web.api;

import java.util.ArrayList;
import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.tool.Json;

/**
 * A page of a trace that fits into memory and one response: at most the requested number of events and the maximum
 * number of characters, but at least one event.
 *
 * @param events the events in order
 * @param more whether more events may follow
 */
record TracePage(List<TraceEvent> events, boolean more) {
    private static final int MAX_READ_EVENTS = 128;
    /** Approximate characters of an event in a response without its values. */
    private static final int EVENT_CHARS = 200;

    TracePage {
        events = List.copyOf(events);
    }

    static TracePage read(TracePager.TraceSource source, ExecutionId id, long after, int limit, long mostChars) {
        List<TraceEvent> events = new ArrayList<>();
        long chars = 0;
        long last = after;
        while (events.size() < limit) {
            List<TraceEvent> found = source.read(id, last, Math.min(MAX_READ_EVENTS, limit - events.size()));
            if (found.isEmpty()) {
                return new TracePage(events, false);
            }
            for (TraceEvent event : found) {
                chars += EVENT_CHARS + valueChars(event);
                if (chars > mostChars && !events.isEmpty()) {
                    return new TracePage(events, true);
                }
                events.add(event);
                last = event.seq();
            }
        }
        return new TracePage(events, true);
    }

    /** Approximate size of the values of the event in a response, in characters. */
    private static long valueChars(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            return started.arguments().text().length();
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            long error = ended.error()
                    .map(each -> each.message().length()
                            + each.details().map(Json::text).map(String::length).orElse(0))
                    .orElse(0);
            return error + ended.result().map(Json::text).map(String::length).orElse(0);
        } else if (event instanceof TraceEvent.ReplayLogRecorded recorded) {
            return recorded.replayLog().length();
        } else if (event instanceof TraceEvent.ApprovalDecided decided) {
            return decided.note().length()
                    + decided.editedArguments()
                            .map(Json::text)
                            .map(String::length)
                            .orElse(0);
        }
        return 0;
    }
}
