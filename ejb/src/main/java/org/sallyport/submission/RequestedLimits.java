package org.sallyport.submission;

import java.util.Optional;
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
 */
public record RequestedLimits(
        Optional<Long> wallMillis,
        Optional<Long> cpuMillis,
        Optional<Long> heapBytes,
        Optional<Long> toolCalls,
        Optional<Long> outputChars,
        Optional<Cost> cost) {
    public static final RequestedLimits NONE = new RequestedLimits(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

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
