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
final class ArchiveTraining implements AutoCloseable {
    /** Only ends a training that hangs: on a busy machine, one with the lowest priority takes many minutes. */
    private static final long LONGEST_MINUTES = 60;

    private static final Path NICE = Path.of("/usr/bin/nice");
    private static final System.Logger LOG = System.getLogger(ArchiveTraining.class.getName());

    private final JavaCommand java;
    private final ProcessBuilder.Redirect errors;
    private final List<String> prefix;
    private volatile @Nullable Process running;
    private volatile boolean closed;

    private ArchiveTraining(JavaCommand java, ProcessBuilder.Redirect errors, List<String> prefix) {
        this.java = java;
        this.errors = errors;
        this.prefix = prefix;
    }

    /** With the lowest priority of the system, so that a first result does not wait for it. */
    static ArchiveTraining inBackground(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new ArchiveTraining(
                java, errors, Files.isExecutable(NICE) ? List.of(NICE.toString(), "-n", "19") : List.of());
    }

    /** With the usual priority. */
    static ArchiveTraining atOnce(JavaCommand java, ProcessBuilder.Redirect errors) {
        return new ArchiveTraining(java, errors, List.of());
    }

    /**
     * Writes the archive unless it is there. Takes seconds. A failure is logged: workers start without the archive too.
     *
     * @param directory the working directory of the training; does not exist before and afterwards
     */
    void run(Path directory) {
        WorkerFiles files = java.files();
        if (Files.exists(files.archive())) {
            return;
        }
        Path written = directory.resolve("classes.jsa");
        try {
            Files.createDirectory(directory);
            List<String> command = new ArrayList<>(prefix);
            command.addAll(java.training(directory, written));
            Process process = Launcher.process(command, directory, errors).start();
            running = process;
            if (closed) {
                process.destroyForcibly();
            }
            boolean ended;
            // Open for as long as it may work: it ends when this process does.
            try (OutputStream input = process.getOutputStream()) {
                ended = process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
            }
            if (!ended) {
                process.destroyForcibly();
                logFailure("it was not written within " + LONGEST_MINUTES + " minutes");
            } else if (process.exitValue() == 0 && Files.exists(written)) {
                files.keepArchive(written);
            } else if (!closed) {
                logFailure("the Java VM that writes it ended with exit code " + process.exitValue());
            }
        } catch (IOException failure) {
            logFailure(failure.toString());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            Directories.delete(directory);
        }
    }

    private static void logFailure(String reason) {
        LOG.log(System.Logger.Level.INFO, "workers start slower, without an archive of classes: {0}", reason);
    }

    /** Ends a training that runs, and those that begin later. */
    @Override
    public void close() {
        closed = true;
        Process present = running;
        if (present != null) {
            present.destroyForcibly();
        }
    }
}
