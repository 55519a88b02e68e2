package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.sallyport.sandbox.worker.WorkerMain;

/** Starts worker processes: with nothing in their environment and nothing in their working directory. Thread-safe. */
final class Launcher implements Starter {
    private final WorkerSettings settings;
    private final Site site;
    private final JavaCommand java;
    private final AtomicLong numbers = new AtomicLong();
    private final ArchiveTraining training;

    Launcher(WorkerSettings settings, Site site) {
        this.settings = settings;
        this.site = site;
        java = new JavaCommand(settings, site.files());
        training = ArchiveTraining.inBackground(java, errors());
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
        Process process = process(site.isolation().around(site.cell(number, directory), command), directory, errors())
                .start();
        try (OutputStream input = process.getOutputStream()) {
            input.write((token + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return new Started(process, directory);
    }

    /** Writes the archive that makes later workers start faster, unless it is there. Takes seconds. */
    @Override
    public void prepare() {
        training.run(site.run().resolve("training"));
    }

    @Override
    public void close() {
        training.close();
    }

    /** A process with an empty environment that writes nowhere else. */
    static ProcessBuilder process(List<String> command, Path directory, ProcessBuilder.Redirect errors) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors);
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
