package org.sallyport.submission;

import java.util.Optional;

/**
 * The limits a caller asks for; what is empty gets the service's default.
 *
 * @param wallMillis wall-clock time in milliseconds
 * @param cpuMillis computing time in milliseconds
 * @param heapBytes memory in bytes
 * @param toolCalls calls of tools
 * @param outputChars characters kept of each output stream
 */
public record RequestedLimits(
        Optional<Long> wallMillis,
        Optional<Long> cpuMillis,
        Optional<Long> heapBytes,
        Optional<Long> toolCalls,
        Optional<Long> outputChars) {
    public static final RequestedLimits NONE = new RequestedLimits(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
