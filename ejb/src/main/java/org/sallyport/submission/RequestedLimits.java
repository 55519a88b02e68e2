package org.sallyport.submission;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.Cost;

/**
 * The limits a caller asks for; what is empty gets the service's default.
 *
 * @param wallMillis wall-clock time in milliseconds
 * @param cpuMillis computing time in milliseconds
 * @param heapBytes memory in bytes
 * @param toolCalls calls of tools
 * @param outputChars characters kept of each output stream
 * @param cost what its calls may cost together
 * @param further what else is asked for
 */
public record RequestedLimits(
        Optional<Long> wallMillis,
        Optional<Long> cpuMillis,
        Optional<Long> heapBytes,
        Optional<Long> toolCalls,
        Optional<Long> outputChars,
        Optional<Cost> cost,
        Map<AdditionalLimit, Long> further) {
    public static final RequestedLimits NONE = new RequestedLimits(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public RequestedLimits {
        Map<AdditionalLimit, Long> copy = new EnumMap<>(AdditionalLimit.class);
        copy.putAll(further);
        further = Collections.unmodifiableMap(copy);
    }

    /** Limits of what each execution has. */
    public RequestedLimits(
            Optional<Long> wallMillis,
            Optional<Long> cpuMillis,
            Optional<Long> heapBytes,
            Optional<Long> toolCalls,
            Optional<Long> outputChars,
            Optional<Cost> cost) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, cost, Map.of());
    }

    /** Limits of which none is a cost. */
    public RequestedLimits(
            Optional<Long> wallMillis,
            Optional<Long> cpuMillis,
            Optional<Long> heapBytes,
            Optional<Long> toolCalls,
            Optional<Long> outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }
}
