package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * A journal with traces of any length, which a reader must not read to their ends. Each call has arguments of 100 KB,
 * and is listed in the plan of the execution.
 */
final class LargeTraceSource {
    /** The calls before this event have more than twice the bytes that a response may have. */
    private static final long MAX_SEQ = 200;

    private static final Json ARGUMENTS = new Json("\"" + "x".repeat(100_000) + "\"");
    private static final ToolName TOOL = new ToolName("demo", "echo");

    private final Map<ExecutionId, Long> callCounts = new HashMap<>();

    /** Gives the execution a trace of this many calls. */
    void setCalls(ExecutionId id, long count) {
        callCounts.put(id, count);
    }

    /** Returns the journal; it supports only the reads of traces. */
    Journal journal() {
        return (Journal) Proxy.newProxyInstance(
                Journal.class.getClassLoader(), new Class<?>[] {Journal.class}, (proxy, called, given) -> {
                    assertThat(called.getName()).isEqualTo("readTrace");
                    return read((ExecutionId) given[0], (Long) given[1], (Integer) given[2]);
                });
    }

    private List<TraceEvent> read(ExecutionId id, long after, int limit) {
        assertThat(after).as("events that were read").isLessThan(MAX_SEQ);
        long last = 2 * callCounts.getOrDefault(id, 0L);
        return LongStream.rangeClosed(after + 1, Math.min(after + limit, last))
                .mapToObj(LargeTraceSource::event)
                .toList();
    }

    private static TraceEvent event(long seq) {
        long call = (seq + 1) / 2;
        return seq % 2 == 1
                ? new TraceEvent.ToolStarted(seq, Instant.EPOCH, call, TOOL, ARGUMENTS)
                : new TraceEvent.PolicyDecided(seq, Instant.EPOCH, call, TOOL, "rule", DryRunPlan.PLANNED);
    }
}
