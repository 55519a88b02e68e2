package org.sallyport.execution;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of one execution.
 *
 * @param wallMillis wall-clock time from its first start, in milliseconds
 * @param cpuMillis processor time, in milliseconds
 * @param heapBytes memory, in bytes
 * @param toolCalls number of tool calls
 * @param outputChars characters kept of each output stream
 * @param cost total cost of its calls, including those of its nested executions; empty for no bound of its own
 * @param additional additional limits that were requested; the node that runs the execution determines the others
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

    /** Creates limits without additional ones. */
    public ExecutionLimits(
            long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars, Optional<Cost> cost) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, cost, Map.of());
    }

    /** Creates limits without a cost and without additional ones. */
    public ExecutionLimits(long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }

    /** Returns the requested value of the limit, or {@code usual} when none was requested. */
    public int additional(AdditionalLimit limit, int usual) {
        return additional.getOrDefault(limit, usual);
    }
}
