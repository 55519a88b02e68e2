package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.sallyport.sandbox.worker.WorkerMain;

/**
 * Starts worker processes with an empty environment, an empty working directory and a lower CPU priority than that of
 * the server: scripts that compute must not slow the server down for everybody. Thread-safe.
 */
final class WorkerLauncher implements WorkerStarter {
    private final WorkerSettings settings;
    private final WorkerEnvironment environment;
    private final JavaCommand javaCommand;
    private final AtomicLong workerNumbers = new AtomicLong();
    private final CdsArchiveBuilder archiveBuilder;

    WorkerLauncher(WorkerSettings settings, WorkerEnvironment site) {
        this.settings = settings;
        this.environment = site;
        javaCommand = new JavaCommand(settings, site.files());
        archiveBuilder = CdsArchiveBuilder.withLowPriority(javaCommand, errorRedirect());
    }

    @Override
    public StartedWorkerProcess start(String token) throws IOException {
        return start(WorkerMain.class, token);
    }

    /** Starts {@code main} instead of the worker class, in the same kind of process. */
    StartedWorkerProcess start(Class<?> main, String token) throws IOException {
        long number = workerNumbers.incrementAndGet();
        Path directory = Files.createDirectory(environment.runDirectory().resolve("w" + number));
        List<String> command =
                javaCommand.workerCommand(directory, main, environment.socket().toString());
        List<String> isolated = environment
                .isolation()
                .wrapCommand(environment.isolationSpec(number, directory, settings.niceness()), command);
        Process process = processBuilder(isolated, directory, errorRedirect()).start();
        try (OutputStream input = process.getOutputStream()) {
            input.write((token + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return new StartedWorkerProcess(process, directory);
    }

    /** Writes the archive that makes later workers start faster, if it is missing. Takes seconds. */
    @Override
    public void prepare() {
        archiveBuilder.buildIfMissing(environment.runDirectory().resolve("training"));
    }

    @Override
    public void close() {
        archiveBuilder.close();
    }

    /** Creates a process with an empty environment whose standard output is discarded. */
    static ProcessBuilder processBuilder(List<String> command, Path directory, ProcessBuilder.Redirect errors) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors);
        builder.environment().clear();
        return builder;
    }

    /** Discards the standard error of workers, unless the operator configured a file to diagnose failing workers. */
    private ProcessBuilder.Redirect errorRedirect() {
        return settings.errorFile()
                .map(Path::toFile)
                .map(ProcessBuilder.Redirect::appendTo)
                .orElse(ProcessBuilder.Redirect.DISCARD);
    }
}
