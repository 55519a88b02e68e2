package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A worker process that was started. Its end is the end of all that it started.
 *
 * @param directory its working directory, empty for good
 */
record StartedWorkerProcess(Process process, Path directory) {
    private static final int OUT_OF_MEMORY_EXIT = 3;
    private static final System.Logger LOG = System.getLogger(StartedWorkerProcess.class.getName());

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** Asks it to end. */
    void requestStop() {
        process.destroy();
    }

    /** Ends it, with its directory. */
    void killAndDelete() {
        kill();
        try {
            // Just this one: a server follows no path that a worker could have made.
            Files.deleteIfExists(directory);
        } catch (IOException notEmpty) {
            LOG.log(System.Logger.Level.WARNING, "the directory of a worker stays: {0}", notEmpty.toString());
        }
    }

    /** Whether it ended by itself since its heap was used up; waits a little for its end. */
    boolean ranOutOfMemory() {
        try {
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == OUT_OF_MEMORY_EXIT;
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
