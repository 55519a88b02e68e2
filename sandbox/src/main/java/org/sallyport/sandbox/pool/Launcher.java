package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.worker.WorkerMain;

/** Starts worker processes: with nothing in their environment and nothing in their working directory. Thread-safe. */
final class Launcher {
    private static final long TRAINING_SECONDS = 120;
    private static final Path NICE = Path.of("/usr/bin/nice");
    private static final System.Logger LOG = System.getLogger(Launcher.class.getName());

    /**
     * A worker process that was started.
     *
     * @param directory its working directory, to be deleted after it
     */
    record Started(Process process, Path directory) {}

    private final WorkerSettings settings;
    private final WorkerFiles files;
    private final Isolation isolation;
    private final Path run;
    private final AtomicLong numbers = new AtomicLong();
    private volatile @Nullable Process training;

    Launcher(WorkerSettings settings, WorkerFiles files, Isolation isolation, Path run) {
        this.settings = settings;
        this.files = files;
        this.isolation = isolation;
        this.run = run;
    }

    /** Starts a worker that will come to {@code socket} and show {@code token}. */
    Started start(Path socket, String token) throws IOException {
        Path directory = Files.createDirectory(run.resolve("w" + numbers.incrementAndGet()));
        List<String> command = new ArrayList<>(isolation.prefix());
        command.addAll(java(directory));
        if (Files.exists(files.archive())) {
            command.add("-XX:SharedArchiveFile=" + files.archive());
        }
        command.addAll(main(socket.toString()));
        Process process = process(command, directory).start();
        try (OutputStream input = process.getOutputStream()) {
            input.write((token + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return new Started(process, directory);
    }

    /** Writes the archive that makes later workers start faster, unless it is there. Takes seconds. */
    void writeArchive() {
        if (Files.exists(files.archive())) {
            return;
        }
        Path directory = run.resolve("training");
        Path written = directory.resolve("classes.jsa");
        try {
            Files.createDirectory(directory);
            // Whoever waits for a first result comes first.
            List<String> command =
                    new ArrayList<>(Files.isExecutable(NICE) ? List.of(NICE.toString(), "-n", "19") : List.of());
            command.addAll(java(directory));
            command.add("-XX:ArchiveClassesAtExit=" + written);
            command.addAll(main(WorkerMain.TRAIN));
            Process process = process(command, directory).start();
            training = process;
            process.getOutputStream().close();
            if (!process.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            } else if (process.exitValue() == 0 && Files.exists(written)) {
                // Copied beside first: the rename must be atomic, and the run directory may be another file system.
                Path beside = files.directory()
                        .resolve("classes-" + ProcessHandle.current().pid() + ".jsa");
                Files.copy(written, beside);
                Files.move(beside, files.archive(), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
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

    /** Ends what still writes the archive. */
    void close() {
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

    private List<String> java(Path directory) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + settings.heapMegabytes() + "m",
                "-Xss1m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "-Xshare:auto",
                "-Xlog:disable",
                "-Djava.io.tmpdir=" + directory,
                "-Djava.awt.headless=true",
                "-Duser.timezone=UTC",
                "-Duser.language=en",
                "-Duser.country=US",
                "-Dfile.encoding=UTF-8",
                "-Dpolyglot.engine.userResourceCache=" + directory,
                "-Dtruffle.UseFallbackRuntime=true"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        return command;
    }

    private List<String> main(String first) {
        return List.of(
                "-cp",
                files.classPath(),
                WorkerMain.class.getName(),
                first,
                Integer.toString(settings.carriers()),
                files.libraries().toString());
    }
}
