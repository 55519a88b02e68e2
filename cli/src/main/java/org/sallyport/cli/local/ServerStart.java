package org.sallyport.cli.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.cli.api.Connections;
import org.sallyport.cli.local.Readiness.Health;
import org.sallyport.cli.local.Readiness.Status;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;

/** One start of the service: the process, its record, the wait until it is ready, and taking all of it back. */
final class ServerStart {
    private static final Duration STEP = Duration.ofMillis(200);
    private static final int LOG_LINES_READ = 1_000;
    /** What is for the client only. The service refuses settings that it does not know, and has no use for our key. */
    private static final List<String> CLIENT_VARIABLES = List.of(
            "SALLYPORT_URL",
            "SALLYPORT_KEY",
            "SALLYPORT_PROFILE",
            "SALLYPORT_JAVA_OPTS",
            "SALLYPORT_SERVER",
            "SALLYPORT_CA_FILE",
            "SALLYPORT_CLIENT_CERT",
            "SALLYPORT_CLIENT_KEY");
    /** What the command line says already, with relative names resolved. */
    private static final List<String> SAID_ALREADY = List.of("SALLYPORT_DATA", "SALLYPORT_HOST", "SALLYPORT_PORT");

    private final ServerSettings settings;
    private final Terminal terminal;
    private final Readiness readiness;

    ServerStart(ServerSettings settings, Terminal terminal, Readiness readiness) {
        this.settings = settings;
        this.terminal = terminal;
        this.readiness = readiness;
    }

    /** Starts the process and waits until it is ready. */
    ServerRecord begin(List<String> command, Duration patience) throws StartException, IOException {
        ServerLog log = new ServerLog(settings.log());
        log.prepare();
        long logStart = log.length();
        ProcessBuilder builder = new ProcessBuilder(detached(command));
        CLIENT_VARIABLES.forEach(builder.environment()::remove);
        SAID_ALREADY.forEach(builder.environment()::remove);
        Process process = builder.directory(settings.data().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(settings.log().toFile()))
                .start();
        ServerRecord entry = ServerRecord.of(process.toHandle(), settings.url());
        ProcessTree tree = new ProcessTree(process.pid(), Optional.of(process.toHandle()));
        Thread undo = new Thread(() -> undo(tree), "undo-start");
        Runtime.getRuntime().addShutdownHook(undo);
        try {
            entry.write(settings.recordFile());
            awaitReady(entry, patience, logStart);
            return entry;
        } catch (StartException | IOException | RuntimeException e) {
            undo(tree);
            throw e;
        } finally {
            forget(undo);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is being ended: the hook is at work.
            return;
        }
    }

    private void undo(ProcessTree tree) {
        try {
            tree.end(Duration.ofSeconds(5));
            Files.deleteIfExists(settings.recordFile());
        } catch (IOException e) {
            terminal.note(Visible.text(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Ctrl-C and a closed terminal are for the command that is running there, not for the service: both signals stay ignored
     * over {@code exec}, and where the system has {@code setsid} the service leaves the terminal altogether. The process id
     * stays the same.
     */
    private static List<String> detached(List<String> command) {
        List<String> detached = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                "trap '' INT HUP QUIT; if command -v setsid >/dev/null 2>&1; then exec setsid \"$@\"; else exec \"$@\"; fi",
                "sallyport"));
        detached.addAll(command);
        return detached;
    }

    /** Waits for a process that was started, by us or by another. */
    void awaitReady(ServerRecord entry, Duration patience, long logStart) throws StartException, IOException {
        long begin = System.nanoTime();
        boolean told = terminal.showsProgress();
        while (true) {
            Duration waited = Duration.ofNanos(System.nanoTime() - begin);
            boolean lives =
                    ProcessHandle.of(entry.pid()).map(ProcessHandle::isAlive).orElse(false);
            Health health = readiness.of(entry.url(), settings.key());
            if (lives && health.ready()) {
                return;
            }
            if (!lives) {
                throw failed("The service ended while it was starting.", logStart);
            }
            if (health.status() == Status.STRANGE && emptyServer(logStart)) {
                throw failed("The server has started, but Sallyport in it has not.", logStart);
            }
            if (health.status() == Status.UNTRUSTED && allIsDeployed(logStart)) {
                throw failed(
                        "The server has started, but cannot be asked whether it is ready. "
                                + Visible.text(health.summary()) + ". " + Connections.ADVICE,
                        logStart);
            }
            if (waited.compareTo(patience) > 0) {
                throw failed(
                        "The service was not ready after " + Durations.shown(patience) + ": " + health.summary() + ".",
                        logStart);
            }
            if (!told) {
                terminal.note("Starting the service at " + entry.url() + " (10 to 30 seconds) ...");
                told = true;
            }
            terminal.progress("Starting the service at " + entry.url() + " ... " + waited.toSeconds() + " s");
            pause();
        }
    }

    /** Without its application the server still begins to serve, and says so after the last attempt to deploy. */
    private boolean emptyServer(long logStart) throws IOException {
        return allIsDeployed(logStart)
                && readiness.of(settings.url(), settings.key()).status() == Status.STRANGE;
    }

    private boolean allIsDeployed(long logStart) throws IOException {
        return new ServerLog(settings.log())
                .tail(LOG_LINES_READ, logStart).stream().anyMatch(ServerCommand::saysThatAllIsDeployed);
    }

    private StartException failed(String what, long logStart) throws IOException {
        List<String> advice = new ArrayList<>();
        List<String> lines = LogExcerpt.of(new ServerLog(settings.log()).tail(LOG_LINES_READ, logStart));
        if (!lines.isEmpty()) {
            advice.add("From its log:");
            lines.forEach(line -> advice.add("  | " + Visible.text(line)));
        }
        advice.add("The whole log: " + settings.log());
        return new StartException(what, advice);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(STEP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the service", e);
        }
    }
}
