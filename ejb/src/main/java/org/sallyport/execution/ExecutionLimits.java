package org.sallyport.execution;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What one execution may use.
 *
 * @param wallMillis wall-clock time from its first start, in milliseconds
 * @param cpuMillis computing time, in milliseconds
 * @param heapBytes memory, in bytes
 * @param toolCalls calls of tools
 * @param outputChars characters kept of each output stream
 * @param cost what its calls may cost together, those of executions that they begin too; empty for no bound of its own
 * @param additional what else it asked for; of what is not among these, the node that runs it says how much it may use
 */
public record ExecutionLimits(
        long wallMillis,
        long cpuMillis,
        long heapBytes,
        int toolCalls,
        int outputChars,
        Optional<Cost> cost,
        Map<AdditionalLimit, Integer> additional) {

    public ExecutionLimits {
        Map<AdditionalLimit, Integer> copy = new EnumMap<>(AdditionalLimit.class);
        copy.putAll(additional);
        additional = Collections.unmodifiableMap(copy);
    }

    /** Limits of what each execution has. */
    public ExecutionLimits(
            long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars, Optional<Cost> cost) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, cost, Map.of());
    }

    /** Limits of which none is a cost. */
    public ExecutionLimits(long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }

    /** As much as was asked for, else {@code usual}. */
    public int additional(AdditionalLimit limit, int usual) {
        return additional.getOrDefault(limit, usual);
    }
}
