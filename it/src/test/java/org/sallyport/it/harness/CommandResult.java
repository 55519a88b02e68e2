package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The result of a command that was run in the top directory of the checkout, as a user runs it.
 *
 * @param exitCode its exit code
 * @param output its standard output
 * @param errorOutput its standard error
 */
public record CommandResult(int exitCode, String output, String errorOutput) {
    private static final long TIMEOUT_MINUTES = 10;

    /** Runs a command and waits for its end. Throws {@link AssertionError} if it does not end in time. */
    public static CommandResult run(Map<String, String> environment, List<String> command) {
        Path directory = ServerSetup.temporaryDirectory();
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        try {
            Process process = start(environment, command, out, err);
            if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(
                        command + " still runs after " + TIMEOUT_MINUTES + " minutes: " + read(out) + read(err));
            }
            return new CommandResult(process.exitValue(), read(out), read(err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            DirectoryCleanup.delete(directory);
        }
    }

    /** Starts a command that writes to these files, and does not wait. */
    static Process start(Map<String, String> environment, List<String> command, Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(CheckoutPaths.root().toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                // Writes to files, because a service that the command leaves running would keep a pipe open.
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    /**
     * Returns this result if the command ended with that code. Throws {@link AssertionError} with the output otherwise.
     */
    public CommandResult expectExitCode(int expected) {
        if (exitCode != expected) {
            throw new AssertionError("expected exit code " + expected + ", got " + this);
        }
        return this;
    }
}
