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

/**
 * Checks the recorded calls of runs against current declarations. Processes each call as it is read, because a trace
 * can be larger than memory. Not thread-safe.
 */
final class RecordedCallCheck {
    /** For each run. */
    private static final int MAX_EVENTS_PER_RUN = 2_000;
    /** For all runs together; the rest is not checked. */
    private static final long MAX_TOTAL_CHARS = 4_000_000;

    private static final int PAGE_SIZE = 32;
    private static final String REDACTED_MARKER = "[redacted]";

    private final Journal journal;
    private final Function<String, Optional<ToolContractCheck>> toolLookup;
    private final Map<String, Optional<ToolContractCheck>> tools = new TreeMap<>();
    private long chars;

    /** @param looked looks up a tool; returns empty when the tool is not to be checked */
    RecordedCallCheck(Journal journal, Function<String, Optional<ToolContractCheck>> looked) {
        this.journal = journal;
        this.toolLookup = looked;
    }

    /** Returns the check of the tool; each tool is looked up once. */
    Optional<ToolContractCheck> tool(String name) {
        return tools.computeIfAbsent(name, toolLookup);
    }

    /** Checks the calls of a run within the bounds. */
    void checkRun(ExecutionId run) {
        RecordedRunCalls calls = new RecordedRunCalls(run);
        long last = 0;
        int events = 0;
        boolean ended = false;
        while (!ended && chars < MAX_TOTAL_CHARS && events < MAX_EVENTS_PER_RUN) {
            List<TraceEvent> page = journal.readTrace(run, last, Math.min(PAGE_SIZE, MAX_EVENTS_PER_RUN - events));
            for (TraceEvent event : page) {
                chars += chars(event);
                calls.onEvent(event);
                last = event.seq();
            }
            events += page.size();
            ended = page.isEmpty();
        }
    }

    /** Returns the number of characters of traces that were read. */
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

    /** Returns the breaches, by tool name. */
    List<ContractBreach> breaches() {
        return tools.values().stream()
                .flatMap(Optional::stream)
                .flatMap(tool -> tool.breach().stream())
                .toList();
    }

    /** The calls of one run; each starts before it ends. */
    private final class RecordedRunCalls {
        private final ExecutionId run;
        private final Map<Long, Json> startedArguments = new HashMap<>();
        /** Calls answered by a policy: their replies are not the tool's. */
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
