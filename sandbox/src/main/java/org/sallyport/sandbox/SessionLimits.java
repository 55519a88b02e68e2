package org.sallyport.sandbox;

/**
 * What one session may use. Wall-clock time is not here: whoever started the session watches it and calls {@link
 * SandboxSession#cancel()}.
 *
 * @param cpuMillis computing time of the guest, in milliseconds
 * @param heapBytes memory the guest may hold, in bytes (watched, approximate)
 * @param toolCalls calls of tools over the whole session
 * @param concurrentCalls calls of tools open at one time
 * @param outputChars characters (UTF-16 code units) kept of each output stream; what follows is dropped
 * @param resultChars characters of the result as JSON text
 * @param argumentChars characters of the arguments of one call as JSON text
 * @param timers timers pending at one time
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
