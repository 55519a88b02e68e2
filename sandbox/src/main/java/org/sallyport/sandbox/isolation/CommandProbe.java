package org.sallyport.sandbox.isolation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds out whether a command works here. */
@FunctionalInterface
interface CommandProbe {
    /** Whether it ran to a good end. */
    boolean succeeds(List<String> command);

    /** Really runs it, with nothing in its environment, for at most half a minute. */
    static CommandProbe inDirectory(Path directory) {
        return command -> {
            try {
                ProcessBuilder builder = new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
                builder.environment().clear();
                Process process = builder.start();
                try {
                    process.getOutputStream().close();
                    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
                } finally {
                    process.destroyForcibly();
                }
            } catch (IOException cannotRun) {
                return false;
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
                return false;
            }
        };
    }
}
