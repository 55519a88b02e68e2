package org.sallyport.sandbox;

/**
 * The limits of one session. Wall-clock time is not included: the caller that started the session watches it and calls
 * {@link SandboxSession#cancel()}.
 *
 * @param cpuMillis CPU time of the guest, in milliseconds
 * @param heapBytes memory that the guest may hold, in bytes (monitored, approximate)
 * @param toolCalls tool calls over the whole session
 * @param concurrentCalls tool calls open at the same time
 * @param outputChars characters (UTF-16 code units) kept of each output stream; a part of longer output is omitted
 * @param resultChars characters of the result as JSON text
 * @param argumentChars characters of the arguments of one call as JSON text
 * @param timers timers pending at the same time
 * @param artifacts artifacts written over the whole session
 * @param artifactBytes bytes of one artifact
 * @param events events emitted over the whole session
 */
public record SessionLimits(
        long cpuMillis,
        long heapBytes,
        int toolCalls,
        int concurrentCalls,
        int outputChars,
        int resultChars,
        int argumentChars,
        int timers,
        int artifacts,
        int artifactBytes,
        int events) {}
