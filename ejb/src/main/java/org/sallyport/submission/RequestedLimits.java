package org.sallyport.submission;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.Cost;

/**
 * The limits that a client requests; an empty limit gets the service's default.
 *
 * @param wallMillis wall-clock time in milliseconds
 * @param cpuMillis processor time in milliseconds
 * @param heapBytes memory in bytes
 * @param toolCalls number of tool calls
 * @param outputChars characters kept of each output stream
 * @param cost total cost of the tool calls
 * @param further additional limits
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

    /** Creates limits without additional ones. */
    public RequestedLimits(
            Optional<Long> wallMillis,
            Optional<Long> cpuMillis,
            Optional<Long> heapBytes,
            Optional<Long> toolCalls,
            Optional<Long> outputChars,
            Optional<Cost> cost) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, cost, Map.of());
    }

    /** Creates limits without a cost and without additional ones. */
    public RequestedLimits(
            Optional<Long> wallMillis,
            Optional<Long> cpuMillis,
            Optional<Long> heapBytes,
            Optional<Long> toolCalls,
            Optional<Long> outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }
}
