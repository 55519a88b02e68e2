package org.sallyport.execution;

/**
 * What one execution may use.
 *
 * @param wallMillis wall-clock time from its first start, in milliseconds
 * @param cpuMillis computing time, in milliseconds
 * @param heapBytes memory, in bytes
 * @param toolCalls calls of tools
 * @param outputChars characters kept of each output stream
 */
public record Limits(long wallMillis, long cpuMillis, long heapBytes, int toolCalls, int outputChars) {}
