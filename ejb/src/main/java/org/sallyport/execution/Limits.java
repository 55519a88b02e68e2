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
 * @param further what else it asked for; of what is not among these, the node that runs it says how much it may use
 */
public record Limits(
        long wallMillis,
        long cpuMillis,
        long heapBytes,
        int toolCalls,
        int outputChars,
        Optional<Cost> cost,
        Map<FurtherLimit, Integer> further) {

    public Limits {
        Map<FurtherLimit, Integer> copy = new EnumMap<>(FurtherLimit.class);
        copy.putAll(further);
        further = Collections.unmodifiableMap(copy);
    }

    /** Limits of what each execution has. */
    public Limits(
            long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars, Optional<Cost> cost) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, cost, Map.of());
    }

    /** Limits of which none is a cost. */
    public Limits(long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }

    /** As much as was asked for, else {@code usual}. */
    public int further(FurtherLimit limit, int usual) {
        return further.getOrDefault(limit, usual);
    }
}
