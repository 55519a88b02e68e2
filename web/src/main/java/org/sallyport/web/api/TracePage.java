package org.sallyport.web.api;

import java.util.ArrayList;
import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;

/**
 * A part of a trace that fits into memory and into one answer: as many events as are asked for, but no more characters than an
 * answer may have, and at least one event.
 *
 * @param events in order
 * @param more whether there may be events after them
 */
record TracePage(List<TraceEvent> events, boolean more) {
    /** One event may have two megabytes: so many are looked at while nobody knows how large they are. */
    private static final int MIN_READ_EVENTS = 4;

    private static final int MAX_READ_EVENTS = 128;

    TracePage {
        events = List.copyOf(events);
    }

    /** Where events come from: those of an execution after one of them, no more than so many. */
    interface TraceSource {
        List<TraceEvent> read(ExecutionId id, long after, int limit);
    }

    static TracePage read(TraceSource source, ExecutionId id, long after, int limit, long mostChars) {
        List<TraceEvent> events = new ArrayList<>();
        long chars = 0;
        long last = after;
        int look = MIN_READ_EVENTS;
        while (events.size() < limit) {
            int asked = Math.min(look, limit - events.size());
            List<TraceEvent> found = source.read(id, last, asked);
            long before = chars;
            for (TraceEvent event : found) {
                chars += chars(event);
                if (chars > mostChars && !events.isEmpty()) {
                    return new TracePage(events, true);
                }
                events.add(event);
                last = event.seq();
            }
            if (found.size() < asked) {
                return new TracePage(events, false);
            }
            look = chars - before > mostChars / MAX_READ_EVENTS ? MIN_READ_EVENTS : Math.min(MAX_READ_EVENTS, look * 2);
        }
        return new TracePage(events, true);
    }

    /** About how much of an answer it takes. */
    private static long chars(TraceEvent event) {
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
