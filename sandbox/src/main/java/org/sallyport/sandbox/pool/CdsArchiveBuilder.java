package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes the archive of classes with which workers start faster: runs a worker that loads what workers load. Thread-safe. */
final class CdsArchiveBuilder implements AutoCloseable {
    /** Only ends a training that hangs: on a busy machine, one with the lowest priority takes many minutes. */
    private static final long MAX_MINUTES = 60;

    private static final Path NICE = Path.of("/usr/bin/nice");
    private static final System.Logger LOG = System.getLogger(CdsArchiveBuilder.class.getName());

    private final JavaCommand javaCommand;
    private final ProcessBuilder.Redirect errorRedirect;
    private final List<String> commandPrefix;
    private volatile @Nullable Process runningProcess;
    private volatile boolean closed;

    private CdsArchiveBuilder(JavaCommand java, ProcessBuilder.Redirect errors, List<String> prefix) {
        this.javaCommand = java;
        this.errorRedirect = errors;
        this.commandPrefix = prefix;
    }

    /** With the lowest priority of the system, so that a first result does not wait for it. */
    static CdsArchiveBuilder withLowPriority(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new CdsArchiveBuilder(
                java, errors, Files.isExecutable(NICE) ? List.of(NICE.toString(), "-n", "19") : List.of());
    }

    /** With the usual priority. */
    static CdsArchiveBuilder withNormalPriority(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new CdsArchiveBuilder(java, errors, List.of());
    }

    /**
     * Writes the archive unless it is there. Takes seconds. A failure is logged: workers start without the archive too.
     *
     * @param directory the working directory of the training; does not exist before and afterwards
     */
    void buildIfMissing(Path directory) {
        WorkerFiles files = javaCommand.files();
        if (Files.exists(files.archive())) {
            return;
        }
        Path written = directory.resolve("classes.jsa");
        try {
            Files.createDirectory(directory);
            List<String> command = new ArrayList<>(commandPrefix);
            command.addAll(javaCommand.trainingCommand(directory, written));
            Process process = WorkerLauncher.processBuilder(command, directory, errorRedirect)
                    .start();
            runningProcess = process;
            if (closed) {
                process.destroyForcibly();
            }
            boolean ended;
            // Open for as long as it may work: it ends when this process does.
            try (OutputStream input = process.getOutputStream()) {
                ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
            }
            if (!ended) {
                process.destroyForcibly();
                logFailure("it was not written within " + MAX_MINUTES + " minutes");
            } else if (process.exitValue() == 0 && Files.exists(written)) {
                files.installArchive(written);
            } else if (!closed) {
                logFailure("the Java VM that writes it ended with exit code " + process.exitValue());
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
        LOG.log(System.Logger.Level.INFO, "workers start slower, without an archive of classes: {0}", reason);
    }

    /** Ends a training that runs, and those that begin later. */
    @Override
    public void close() {
        closed = true;
        Process present = runningProcess;
        if (present != null) {
            present.destroyForcibly();
        }
    }
}
