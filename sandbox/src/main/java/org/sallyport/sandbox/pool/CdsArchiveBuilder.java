package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.isolation.ProcessPriority;
import org.sallyport.sandbox.isolation.SystemPrograms;

/**
 * Builds the CDS archive that speeds up the start of workers, by running a worker that loads the usual classes.
 * Thread-safe.
 */
final class CdsArchiveBuilder implements AutoCloseable {
    /** Ends only a training that hangs: on a busy machine, a training with the lowest priority takes many minutes. */
    private static final long MAX_MINUTES = 60;

    private static final int LOWEST_PRIORITY = 19;
    private static final System.Logger LOG = System.getLogger(CdsArchiveBuilder.class.getName());

    private final JavaCommand javaCommand;
    private final ProcessBuilder.Redirect errorRedirect;
    private final int niceness;
    private volatile @Nullable Process runningProcess;
    private volatile boolean closed;

    private CdsArchiveBuilder(JavaCommand java, ProcessBuilder.Redirect errors, int niceness) {
        this.javaCommand = java;
        this.errorRedirect = errors;
        this.niceness = niceness;
    }

    /** Builds with the lowest scheduling priority, so that the first result does not wait for the build. */
    static CdsArchiveBuilder withLowPriority(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new CdsArchiveBuilder(java, errors, LOWEST_PRIORITY);
    }

    /** Builds with normal priority. */
    static CdsArchiveBuilder withNormalPriority(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new CdsArchiveBuilder(java, errors, 0);
    }

    /**
     * Writes the archive if it is missing. Takes seconds. A failure is logged and not thrown, because workers also
     * start without the archive.
     *
     * @param directory the working directory of the training; does not exist before and after the call
     */
    void buildIfMissing(Path directory) {
        WorkerFiles files = javaCommand.files();
        if (Files.exists(files.archive())) {
            return;
        }
        Path written = directory.resolve("classes.jsa");
        try {
            Files.createDirectory(directory);
            List<String> command = ProcessPriority.lower(
                    SystemPrograms.SYSTEM_DEFAULT, niceness, javaCommand.trainingCommand(directory, written));
            Process process = WorkerLauncher.processBuilder(command, directory, errorRedirect)
                    .start();
            runningProcess = process;
            if (closed) {
                process.destroyForcibly();
            }
            boolean ended;
            // The training process exits when its standard input closes, so the stream stays open while it may run.
            try (OutputStream input = process.getOutputStream()) {
                ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
            }
            if (!ended) {
                process.destroyForcibly();
                logFailure("it was not written within " + MAX_MINUTES + " minutes");
            } else if (process.exitValue() == 0 && Files.exists(written)) {
                files.installArchive(written);
            } else if (!closed) {
                logFailure("its Java VM ended with exit code " + process.exitValue());
            }
        } catch (IOException failure) {
            logFailure(failure.toString());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            RunDirectories.deleteRecursively(directory);
        }
    }

    private static void logFailure(String reason) {
        LOG.log(
                System.Logger.Level.INFO,
                "the class archive for workers was not written; workers start slower:" + " {0}",
                reason);
    }

    /** Ends a running training and every training that starts later. */
    @Override
    public void close() {
        closed = true;
        Process present = runningProcess;
        if (present != null) {
            present.destroyForcibly();
        }
    }
}
