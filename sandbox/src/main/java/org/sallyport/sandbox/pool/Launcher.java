package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.worker.WorkerMain;

/** Starts worker processes: with nothing in their environment and nothing in their working directory. Thread-safe. */
final class Launcher implements Starter {
    private static final long TRAINING_SECONDS = 120;
    private static final Path NICE = Path.of("/usr/bin/nice");
    private static final System.Logger LOG = System.getLogger(Launcher.class.getName());

    private final WorkerSettings settings;
    private final Site site;
    private final JavaCommand java;
    private final AtomicLong numbers = new AtomicLong();
    private volatile @Nullable Process training;
    private volatile boolean closed;

    Launcher(WorkerSettings settings, Site site) {
        this.settings = settings;
        this.site = site;
        java = new JavaCommand(settings, site.files());
    }

    @Override
    public Started start(String token) throws IOException {
        return start(WorkerMain.class, token);
    }

    /** Starts another class in place of the worker's, with all that a worker's process has. */
    Started start(Class<?> main, String token) throws IOException {
        long number = numbers.incrementAndGet();
        Path directory = Files.createDirectory(site.run().resolve("w" + number));
        List<String> command = java.worker(directory, main, site.door().toString());
        Process process = process(site.isolation().around(site.cell(number, directory), command), directory)
                .start();
        try (OutputStream input = process.getOutputStream()) {
            input.write((token + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return new Started(process, directory);
    }

    /** Writes the archive that makes later workers start faster, unless it is there. Takes seconds. */
    @Override
    public void prepare() {
        if (Files.exists(site.files().archive())) {
            return;
        }
        Path directory = site.run().resolve("training");
        WorkerFiles files = site.files();
        Path written = directory.resolve("classes.jsa");
        try {
            Files.createDirectory(directory);
            // Whoever waits for a first result comes first.
            List<String> command =
                    new ArrayList<>(Files.isExecutable(NICE) ? List.of(NICE.toString(), "-n", "19") : List.of());
            command.addAll(java.training(directory, written));
            Process process = process(command, directory).start();
            training = process;
            if (closed) {
                process.destroyForcibly();
            }
            boolean ended;
            // Open for as long as it may work: it ends when this process does.
            try (OutputStream input = process.getOutputStream()) {
                ended = process.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS);
            }
            if (!ended) {
                process.destroyForcibly();
            } else if (process.exitValue() == 0 && Files.exists(written)) {
                // Copied beside first: the rename must be atomic, and the run directory may be another file system.
                Path beside = files.directory()
                        .resolve("classes-" + ProcessHandle.current().pid() + ".jsa");
                Files.copy(written, beside);
                WorkerFiles.readableByAll(beside);
                Files.move(beside, files.archive(), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException slowerStarts) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "workers start without an archive of classes: {0}",
                    slowerStarts.toString());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            Directories.delete(directory);
        }
    }

    @Override
    public void close() {
        closed = true;
        Process present = training;
        if (present != null) {
            present.destroyForcibly();
        }
    }

    private ProcessBuilder process(List<String> command, Path directory) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors());
        builder.environment().clear();
        return builder;
    }

    /** What a worker writes there is its own affair, unless one looks for a reason why workers fail. */
    private ProcessBuilder.Redirect errors() {
        return settings.errors()
                .map(Path::toFile)
                .map(ProcessBuilder.Redirect::appendTo)
                .orElse(ProcessBuilder.Redirect.DISCARD);
    }
}
