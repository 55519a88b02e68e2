package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NestedExecutionStore.NestedExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.ToolName;

/**
 * Which calls of an execution are calls of capabilities: those that name one as such, as the bridge takes them, and those for which an
 * execution was nested, whatever the script called it.
 *
 * @param executions what runs or ran for them, by their ordinals
 */
record CapabilityCallIndex(Map<Long, NestedExecution> executions) {
    /** Where nothing is nested. */
    static final CapabilityCallIndex NONE = new CapabilityCallIndex(Map.of());

    CapabilityCallIndex {
        executions = Map.copyOf(executions);
    }

    /** Those among {@code events}. Asks the store once, and not at all when there is no call of a tool among them. */
    static CapabilityCallIndex of(NestedExecutionStore store, ExecutionId id, List<TraceEvent> events) {
        LongSummaryStatistics calls =
                events.stream().flatMapToLong(CapabilityCallIndex::call).summaryStatistics();
        return calls.getCount() == 0
                ? NONE
                : new CapabilityCallIndex(store.findChildren(id, calls.getMin(), calls.getMax()));
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
    boolean isCapabilityCall(long call, ToolName tool) {
        return tool.backend().equals(CapabilityToolProvider.BACKEND) || executions.containsKey(call);
    }

    /** What scripts, grants and policies name it by. */
    ToolName grantedName(long call, ToolName tool) {
        return nestedExecution(call)
                .flatMap(NestedExecution::capability)
                .map(capability -> new ToolName(CapabilityToolProvider.BACKEND, capability.name()))
                .orElse(tool);
    }

    /** What runs or ran for it. */
    Optional<NestedExecution> nestedExecution(long call) {
        return Optional.ofNullable(executions.get(call));
    }

    /** Adds what is known of the run for a call. */
    void describe(long call, ObjectNode json) {
        nestedExecution(call).ifPresent(run -> {
            run.capability().ifPresent(capability -> json.put("capability", capability.toString()));
            json.put("execution", run.id().toString());
        });
    }
}
