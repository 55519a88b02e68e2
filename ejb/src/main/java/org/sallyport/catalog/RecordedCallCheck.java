package org.sallyport.catalog;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/** Tries what runs called by what is declared now, each call as it is read: a trace can be longer than memory. Of one thread. */
final class RecordedCallCheck {
    /** Of a run. */
    private static final int MAX_EVENTS_PER_RUN = 2_000;
    /** Of all runs together; what is beyond says nothing. */
    private static final long MAX_TOTAL_CHARS = 4_000_000;
    /** One event may have two megabytes: so many are read while nobody knows how large they are. */
    private static final int MIN_PAGE_SIZE = 4;

    private static final int MAX_PAGE_SIZE = 32;
    private static final long LARGE_PAGE_CHARS = 64_000;
    private static final String REDACTED_MARKER = "[redacted]";

    private final Journal journal;
    private final Function<String, Optional<ToolContractCheck>> toolLookup;
    private final Map<String, Optional<ToolContractCheck>> tools = new TreeMap<>();
    private long chars;

    /** @param looked looks up a tool; empty when it is none that is to be tried */
    RecordedCallCheck(Journal journal, Function<String, Optional<ToolContractCheck>> looked) {
        this.journal = journal;
        this.toolLookup = looked;
    }

    /** The tool; looked up once. */
    Optional<ToolContractCheck> tool(String name) {
        return tools.computeIfAbsent(name, toolLookup);
    }

    /** Tries the calls of a run, as long as there is room. */
    void checkRun(ExecutionId run) {
        RecordedRunCalls calls = new RecordedRunCalls(run);
        long last = 0;
        int events = 0;
        int look = MIN_PAGE_SIZE;
        while (chars < MAX_TOTAL_CHARS && events < MAX_EVENTS_PER_RUN) {
            int asked = Math.min(look, MAX_EVENTS_PER_RUN - events);
            List<TraceEvent> page = journal.readTrace(run, last, asked);
            long before = chars;
            for (TraceEvent event : page) {
                chars += chars(event);
                calls.onEvent(event);
                last = event.seq();
            }
            if (page.size() < asked) {
                return;
            }
            events += page.size();
            look = chars - before > LARGE_PAGE_CHARS ? MIN_PAGE_SIZE : Math.min(MAX_PAGE_SIZE, look * 2);
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
    List<ContractBreach> breaches() {
        return tools.values().stream()
                .flatMap(Optional::stream)
                .flatMap(tool -> tool.breach().stream())
                .toList();
    }

    /** The calls of one run, of which each begins before it ends. */
    private final class RecordedRunCalls {
        private final ExecutionId run;
        private final Map<Long, Json> startedArguments = new HashMap<>();
        /** What a policy answered was not the tool's answer. */
        private final Set<Long> mockedCalls = new HashSet<>();

        RecordedRunCalls(ExecutionId run) {
            this.run = run;
        }

        void onEvent(TraceEvent event) {
            if (event instanceof TraceEvent.ToolStarted started) {
                startedArguments.put(started.call(), started.arguments());
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && !judged.decision().equals("allow")) {
                mockedCalls.add(judged.call());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                onEnded(ended);
            }
        }

        private void onEnded(TraceEvent.ToolEnded ended) {
            boolean own = !mockedCalls.remove(ended.call());
            Optional<Json> arguments = Optional.ofNullable(startedArguments.remove(ended.call()));
            if (ended.error().isEmpty()) {
                arguments
                        .filter(RecordedCallCheck::isUnredacted)
                        .ifPresent(was -> tool(ended.tool().toString())
                                .ifPresent(tool -> tool.recordCall(
                                        run,
                                        was,
                                        ended.result().filter(result -> own).filter(RecordedCallCheck::isUnredacted))));
            }
        }
    }

    private static boolean isUnredacted(Json value) {
        return !value.text().contains(REDACTED_MARKER);
    }
}
