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
 * Finds the calls of an execution that are calls of capabilities: calls that name a capability, as the bridge accepts
 * them, and calls for which a nested execution was started, under any name that the script used.
 *
 * @param executions the nested executions, by the ordinals of their calls
 */
record CapabilityCallIndex(Map<Long, NestedExecution> executions) {
    /** The index of an execution without nested executions. */
    static final CapabilityCallIndex NONE = new CapabilityCallIndex(Map.of());

    CapabilityCallIndex {
        executions = Map.copyOf(executions);
    }

    /**
     * Builds the index for the calls among {@code events}. Queries the store once, and not at all if the events contain
     * no tool call.
     */
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

    /** Whether the call is a call of a capability. */
    boolean isCapabilityCall(long call, ToolName tool) {
        return tool.backend().equals(CapabilityToolProvider.BACKEND) || executions.containsKey(call);
    }

    /** The name of the called tool in scripts, grants and policies. */
    ToolName grantedName(long call, ToolName tool) {
        return nestedExecution(call)
                .flatMap(NestedExecution::capability)
                .map(capability -> new ToolName(CapabilityToolProvider.BACKEND, capability.name()))
                .orElse(tool);
    }

    /** The nested execution of the call; empty if there is none. */
    Optional<NestedExecution> nestedExecution(long call) {
        return Optional.ofNullable(executions.get(call));
    }

    /** Adds the nested execution of a call to its JSON. */
    void describe(long call, ObjectNode json) {
        nestedExecution(call).ifPresent(run -> {
            run.capability().ifPresent(capability -> json.put("capability", capability.toString()));
            json.put("execution", run.id().toString());
        });
    }
}
