package org.sallyport.sandbox.isolation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tests whether a command works on this machine. */
@FunctionalInterface
interface CommandProbe {
    /** Returns whether the command exits with status 0. */
    boolean succeeds(List<String> command);

    /** Returns a probe that runs the command with an empty environment, for at most 30 seconds. */
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
