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
 * @param exit its exit code
 * @param out what it printed
 * @param err what it said besides
 */
public record Command(int exit, String out, String err) {
    private static final long MINUTES = 10;

    /** Runs a command and waits for its end; {@link AssertionError} when that does not come. */
    public static Command run(Map<String, String> environment, List<String> command) {
        Path directory = ServerSetup.temporaryDirectory();
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        try {
            Process process = begin(environment, command, out, err);
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(
                        command + " still runs after " + MINUTES + " minutes: " + read(out) + read(err));
            }
            return new Command(process.exitValue(), read(out), read(err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            Directories.delete(directory);
        }
    }

    /** Runs a command, which writes to these files, and does not wait. */
    static Process begin(Map<String, String> environment, List<String> command, Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Checkout.home().toFile())
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
    public Command expect(int expected) {
        if (exit != expected) {
            throw new AssertionError("expected exit code " + expected + ", got " + this);
        }
        return this;
    }
}
