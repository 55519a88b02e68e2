package org.sallyport.it.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Node.js program in a process of its own, in the directory of the libraries for connectors. */
public final class NodeJsProcess implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private final Process process;
    private final Path log;

    private NodeJsProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts the module {@code source}. Skips the test if Node.js is missing. */
    public static NodeJsProcess start(Path source, Map<String, String> environment, String... arguments) {
        try {
            Path beside = NodeJsPackages.connectorDirectory().resolve(source.getFileName());
            Files.copy(source, beside, StandardCopyOption.REPLACE_EXISTING);
            Path log = Files.createTempFile("sallyport-it-node-", ".log");
            List<String> command = new java.util.ArrayList<>(List.of("node", beside.toString()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            Process process = builder.redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(log.toFile())
                    .start();
            RunningServerRegistry.add(process);
            return new NodeJsProcess(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All output so far. */
    public String output() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the program has printed {@code text}. */
    public void awaitOutput(String text) {
        try {
            Await.until("it prints " + text, TIMEOUT, () -> output().contains(text));
        } catch (AssertionError e) {
            throw new AssertionError("instead of " + text + ": " + output(), e);
        }
    }

    /** Waits until the process ends. Returns all its output. */
    public String awaitExit() {
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("it does not end: " + output());
            }
            return output();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Asks the process to end (SIGTERM). */
    public void stop() {
        process.destroy();
    }

    /** Kills the process (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        awaitExit();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
