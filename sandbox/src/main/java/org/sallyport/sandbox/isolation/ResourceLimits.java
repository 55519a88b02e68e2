package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * How {@code prlimit} bounds a worker.
 *
 * @param prlimit the program
 * @param memoryBytes writable memory of the process: heap, stacks, what native code takes
 */
record ResourceLimits(Path prlimit, long memoryBytes) {
    /** Threads and processes of one worker; it needs about 30. */
    static final int MAX_TASKS = 256;

    static final int MAX_DESCRIPTORS = 256;

    /** Where an operator keeps what workers write to their standard error, so much of it. */
    static final int MAX_FILE_BYTES = 1 << 20;

    /**
     * Arguments that end where the command to run follows.
     *
     * @param ownUser whether tasks are counted for the worker alone; otherwise the server's own would count
     */
    List<String> arguments(boolean ownUser) {
        List<String> always = List.of(
                prlimit.toString(),
                "--core=0",
                "--fsize=" + MAX_FILE_BYTES,
                "--nofile=" + MAX_DESCRIPTORS,
                "--data=" + memoryBytes);
        return ownUser ? CommandLines.concat(always, List.of("--nproc=" + MAX_TASKS)) : always;
    }
}
