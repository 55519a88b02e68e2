package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.NestedRunStore.Nested;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.ToolName;

/**
 * Which calls of an execution are calls of capabilities: those that name one as such, as the bridge takes them, and those for which an
 * execution was nested, whatever the script called it.
 *
 * @param runs what runs or ran for them, by their ordinals
 */
record NestedCalls(Map<Long, Nested> runs) {
    /** Where nothing is nested. */
    static final NestedCalls NONE = new NestedCalls(Map.of());

    NestedCalls {
        runs = Map.copyOf(runs);
    }

    /** Those among {@code events}. Asks the store once, and not at all when there is no call of a tool among them. */
    static NestedCalls of(NestedRunStore store, ExecutionId id, List<TraceEvent> events) {
        LongSummaryStatistics calls =
                events.stream().flatMapToLong(NestedCalls::call).summaryStatistics();
        return calls.getCount() == 0 ? NONE : new NestedCalls(store.children(id, calls.getMin(), calls.getMax()));
    }

    private static LongStream call(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started && !isHost(started.tool())) {
            return LongStream.of(started.call());
        } else if (event instanceof TraceEvent.ToolEnded ended && !isHost(ended.tool())) {
            return LongStream.of(ended.call());
        }
        return LongStream.empty();
    }

    private static boolean isHost(ToolName tool) {
        return tool.backend().equals(HostServices.BACKEND);
    }

    /** Whether it is a call of a capability. */
    boolean has(long call, ToolName tool) {
        return tool.backend().equals(CapabilityTools.BACKEND) || runs.containsKey(call);
    }

    /** What scripts, grants and policies name it by. */
    ToolName name(long call, ToolName tool) {
        return run(call)
                .flatMap(Nested::capability)
                .map(capability -> new ToolName(CapabilityTools.BACKEND, capability.name()))
                .orElse(tool);
    }

    /** What runs or ran for it. */
    Optional<Nested> run(long call) {
        return Optional.ofNullable(runs.get(call));
    }

    /** Adds what is known of the run for a call. */
    void tell(long call, ObjectNode json) {
        run(call).ifPresent(run -> {
            run.capability().ifPresent(capability -> json.put("capability", capability.toString()));
            json.put("execution", run.id().toString());
        });
    }
}
