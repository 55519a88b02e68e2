package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A started worker process. When it ends, all processes that it started end too.
 *
 * @param directory its working directory, which stays empty
 */
record StartedWorkerProcess(Process process, Path directory) {
    private static final int OUT_OF_MEMORY_EXIT = 3;
    private static final System.Logger LOG = System.getLogger(StartedWorkerProcess.class.getName());

    /** Kills the process at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** Requests an orderly stop. */
    void requestStop() {
        process.destroy();
    }

    /** Kills the process and deletes its working directory. */
    void killAndDelete() {
        kill();
        try {
            // Deletes only this directory: the server must not follow paths that a worker could have created.
            Files.deleteIfExists(directory);
        } catch (IOException notEmpty) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the directory of an ended worker cannot be deleted:" + " {0}",
                    notEmpty.toString());
        }
    }

    /** Returns whether the process exited because its heap was exhausted. Waits up to 5 seconds for its exit. */
    boolean ranOutOfMemory() {
        try {
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == OUT_OF_MEMORY_EXIT;
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
