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
 * A command that was run as a user runs it, at the top of the checkout.
 *
 * @param exitCode its exit code
 * @param output what it printed
 * @param errorOutput what it said besides
 */
public record CommandResult(int exitCode, String output, String errorOutput) {
    private static final long TIMEOUT_MINUTES = 10;

    /** Runs a command and waits for its end; {@link AssertionError} when that does not come. */
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

    /** Runs a command, which writes to these files, and does not wait. */
    static Process start(Map<String, String> environment, List<String> command, Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(CheckoutPaths.root().toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                // To files: a service that is left running must not hold this end of a pipe.
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    /** This, if it ended with that code; {@link AssertionError} with its output if not. */
    public CommandResult expectExitCode(int expected) {
        if (exitCode != expected) {
            throw new AssertionError("expected exit code " + expected + ", got " + this);
        }
        return this;
    }
}
