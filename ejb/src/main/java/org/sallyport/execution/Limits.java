package org.sallyport.execution;

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
 */
public record Limits(
        long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars, Optional<Cost> cost) {

    /** Limits of which none is a cost. */
    public Limits(long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars) {
        this(wallMillis, cpuMillis, heapBytes, toolCalls, outputChars, Optional.empty());
    }
}
