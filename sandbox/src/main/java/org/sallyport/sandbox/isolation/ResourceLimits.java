package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * Builds the {@code prlimit} arguments that limit a worker.
 *
 * @param prlimit the program
 * @param memoryBytes maximum writable memory of the process: heap, stacks, native code
 */
record ResourceLimits(Path prlimit, long memoryBytes) {
    /** Maximum threads and processes of one worker; it needs about 30. */
    static final int MAX_TASKS = 256;

    static final int MAX_DESCRIPTORS = 256;

    /** Maximum bytes of a written file, such as the configured file for the standard error of workers. */
    static final int MAX_FILE_BYTES = 1 << 20;

    /**
     * Returns the arguments before the command to run.
     *
     * @param ownUser whether tasks are counted for the worker alone; otherwise the server's own tasks would count too
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
