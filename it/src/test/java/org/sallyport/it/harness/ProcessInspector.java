package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Inspects and controls processes through the operating system. */
public final class ProcessInspector {
    private static final String WORKER_MAIN_CLASS = "org.sallyport.sandbox.worker.WorkerMain";

    private ProcessInspector() {}

    /** All live descendants of a process. */
    public static List<ProcessHandle> descendants(long pid) {
        return ProcessHandle.of(pid)
                .map(process ->
                        process.descendants().filter(ProcessHandle::isAlive).toList())
                .orElse(List.of());
    }

    /**
     * Returns whether the process is a Java VM that runs scripts. The launcher that isolates a worker and a VM that
     * writes its class archive do not count.
     */
    static boolean isWorker(ProcessHandle process) {
        List<String> command = commandLine(process.pid());
        int main = command.indexOf(WORKER_MAIN_CLASS);
        return main > 0
                && command.get(0).endsWith("java")
                && command.stream().noneMatch(argument -> argument.startsWith("-XX:ArchiveClassesAtExit"));
    }

    /** Program and arguments; empty if the process is gone. */
    public static List<String> commandLine(long pid) {
        try {
            String line = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
            return line.isEmpty() ? List.of() : List.of(line.split("\0", -1));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Environment variables with which the process was started, as {@code name=value}. */
    public static List<String> environment(long pid) {
        try {
            String text = Files.readString(Path.of("/proc/" + pid + "/environ"));
            return text.isEmpty() ? List.of() : List.of(text.split("\0"));
        } catch (IOException e) {
            throw new AssertionError("the environment of " + pid + " cannot be read", e);
        }
    }

    /** Suspends a process (SIGSTOP) until {@link #resume}. */
    public static void pause(long pid) {
        signal("STOP", pid);
    }

    /** Resumes a suspended process. */
    public static void resume(long pid) {
        signal("CONT", pid);
    }

    /** Returns whether a process is suspended. */
    public static boolean isPaused(long pid) {
        try {
            String status = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The state follows the name of the program, which is in parentheses.
            return status.startsWith("T", status.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }

    private static void signal(String name, long pid) {
        CommandResult.run(Map.of(), List.of("kill", "-" + name, Long.toString(pid)))
                .expectExitCode(0);
    }

    /** Kills a process. */
    public static void kill(ProcessHandle process) {
        process.destroyForcibly();
    }

    /** Returns the output of a diagnostic command for a Java process, or an error message if the process is gone. */
    public static String jcmd(long pid, String command) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid),
                            command)
                    .redirectErrorStream(true)
                    .start();
            try (InputStream output = process.getInputStream()) {
                return new String(output.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
