package org.sallyport.catalog;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.sallyport.catalog.Contracts.Breach;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/** Tries what runs called by what is declared now, each call as it is read: a trace can be longer than memory. Of one thread. */
final class CallTrial {
    /** Of a run. */
    private static final int MOST_EVENTS = 2_000;
    /** Of all runs together; what is beyond says nothing. */
    private static final long MOST_CHARS = 4_000_000;
    /** One event may have two megabytes: so many are read while nobody knows how large they are. */
    private static final int FIRST_LOOK = 4;

    private static final int LONGEST_LOOK = 32;
    private static final long LONG_PAGE = 64_000;
    private static final String HIDDEN = "[redacted]";

    private final Journal journal;
    private final Function<String, Optional<TriedTool>> looked;
    private final Map<String, Optional<TriedTool>> tools = new TreeMap<>();
    private long chars;

    /** @param looked looks up a tool; empty when it is none that is to be tried */
    CallTrial(Journal journal, Function<String, Optional<TriedTool>> looked) {
        this.journal = journal;
        this.looked = looked;
    }

    /** The tool; looked up once. */
    Optional<TriedTool> tool(String name) {
        return tools.computeIfAbsent(name, looked);
    }

    /** Tries the calls of a run, as long as there is room. */
    void run(ExecutionId run) {
        Calls calls = new Calls(run);
        long last = 0;
        int events = 0;
        int look = FIRST_LOOK;
        while (chars < MOST_CHARS && events < MOST_EVENTS) {
            int asked = Math.min(look, MOST_EVENTS - events);
            List<TraceEvent> page = journal.trace(run, last, asked);
            long before = chars;
            for (TraceEvent event : page) {
                chars += chars(event);
                calls.heard(event);
                last = event.seq();
            }
            if (page.size() < asked) {
                return;
            }
            events += page.size();
            look = chars - before > LONG_PAGE ? FIRST_LOOK : Math.min(LONGEST_LOOK, look * 2);
        }
    }

    /** How much of traces was read. */
    long chars() {
        return chars;
    }

    private static long chars(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            return started.arguments().text().length();
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            return ended.result().map(Json::text).map(String::length).orElse(0)
                    + ended.error()
                            .flatMap(ToolError::details)
                            .map(Json::text)
                            .map(String::length)
                            .orElse(0);
        }
        return 0;
    }

    /** What would break, by the names of the tools. */
    List<Breach> breaches() {
        return tools.values().stream()
                .flatMap(Optional::stream)
                .flatMap(tool -> tool.breach().stream())
                .toList();
    }

    /** The calls of one run, of which each begins before it ends. */
    private final class Calls {
        private final ExecutionId run;
        private final Map<Long, Json> begun = new HashMap<>();
        /** What a policy answered was not the tool's answer. */
        private final Set<Long> madeUp = new HashSet<>();

        Calls(ExecutionId run) {
            this.run = run;
        }

        void heard(TraceEvent event) {
            if (event instanceof TraceEvent.ToolStarted started) {
                begun.put(started.call(), started.arguments());
            } else if (event instanceof TraceEvent.Judged judged
                    && !judged.decision().equals("allow")) {
                madeUp.add(judged.call());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                ended(ended);
            }
        }

        private void ended(TraceEvent.ToolEnded ended) {
            boolean own = !madeUp.remove(ended.call());
            Optional<Json> arguments = Optional.ofNullable(begun.remove(ended.call()));
            if (ended.error().isEmpty()) {
                arguments
                        .filter(CallTrial::isWhole)
                        .ifPresent(was -> tool(ended.tool().toString())
                                .ifPresent(tool -> tool.called(
                                        run,
                                        was,
                                        ended.result().filter(result -> own).filter(CallTrial::isWhole))));
            }
        }
    }

    private static boolean isWhole(Json value) {
        return !value.text().contains(HIDDEN);
    }
}
