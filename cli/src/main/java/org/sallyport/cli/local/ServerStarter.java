package org.sallyport.cli.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.local.ReadinessProbe.ReadinessStatus;
import org.sallyport.cli.local.ReadinessProbe.ServiceHealth;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/**
 * One start of the service: starts the process, writes its record, waits until it is ready, and undoes all of it on
 * failure.
 */
final class ServerStarter {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final int MAX_LOG_LINES = 1_000;
    /** Variables for the client only. The service rejects unknown settings and does not need the client's key. */
    private static final List<String> CLIENT_VARIABLES = List.of(
            "SALLYPORT_URL",
            "SALLYPORT_KEY",
            "SALLYPORT_PROFILE",
            "SALLYPORT_JAVA_OPTS",
            "SALLYPORT_SERVER",
            "SALLYPORT_CA_FILE",
            "SALLYPORT_CLIENT_CERT",
            "SALLYPORT_CLIENT_KEY");
    /** The command line already contains these settings, with resolved paths. */
    private static final List<String> COMMAND_LINE_VARIABLES =
            List.of("SALLYPORT_DATA", "SALLYPORT_HOST", "SALLYPORT_PORT");

    private final ServerSettings settings;
    private final Terminal terminal;
    private final ReadinessProbe readinessProbe;

    ServerStarter(ServerSettings settings, Terminal terminal, ReadinessProbe readiness) {
        this.settings = settings;
        this.terminal = terminal;
        this.readinessProbe = readiness;
    }

    /** Starts the process and waits until it is ready. */
    ServerProcessRecord start(List<String> command, Duration timeout) throws ServerStartException, IOException {
        ServerLog log = new ServerLog(settings.logFile());
        log.rotateIfLarge();
        long logStart = log.length();
        ProcessBuilder builder = new ProcessBuilder(detach(command));
        CLIENT_VARIABLES.forEach(builder.environment()::remove);
        COMMAND_LINE_VARIABLES.forEach(builder.environment()::remove);
        Process process = builder.directory(settings.dataDirectory().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(settings.logFile().toFile()))
                .start();
        ServerProcessRecord entry = ServerProcessRecord.of(process.toHandle(), settings.url());
        ProcessTree tree = new ProcessTree(process.pid(), Optional.of(process.toHandle()));
        Thread undo = new Thread(() -> rollBack(tree), "undo-start");
        Runtime.getRuntime().addShutdownHook(undo);
        try {
            entry.write(settings.recordFile());
            awaitReady(entry, timeout, logStart);
            return entry;
        } catch (ServerStartException | IOException | RuntimeException e) {
            rollBack(tree);
            throw e;
        } finally {
            removeHook(undo);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This process is ending and its shutdown hook cleans up.
            return;
        }
    }

    private void rollBack(ProcessTree tree) {
        try {
            tree.terminate(Duration.ofSeconds(5));
            Files.deleteIfExists(settings.recordFile());
        } catch (IOException e) {
            terminal.printNote(TerminalTextEscaper.escapeText(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Ctrl-C and a closed terminal must affect only the current command, not the service. Both signals stay ignored
     * across {@code exec}, and with {@code setsid} the service leaves the terminal. The process id stays the same.
     */
    private static List<String> detach(List<String> command) {
        List<String> detached = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                "trap '' INT HUP QUIT; if command -v setsid >/dev/null 2>&1; then exec setsid \"$@\"; else exec "
                        + "\"$@\"; fi",
                "sallyport"));
        detached.addAll(command);
        return detached;
    }

    /** Waits until a process is ready, which this or another process may have started. */
    void awaitReady(ServerProcessRecord entry, Duration timeout, long logStart)
            throws ServerStartException, IOException {
        long startNanos = System.nanoTime();
        boolean announced = terminal.showsProgress();
        while (true) {
            Duration waited = Duration.ofNanos(System.nanoTime() - startNanos);
            boolean lives =
                    ProcessHandle.of(entry.pid()).map(ProcessHandle::isAlive).orElse(false);
            ServiceHealth health = readinessProbe.check(entry.url(), keyFor(entry));
            if (lives && health.isReady()) {
                return;
            }
            if (!lives) {
                throw failure("The service ended while it was starting.", logStart);
            }
            if (health.status() == ReadinessStatus.STRANGE && isApplicationMissing(entry, logStart)) {
                throw failure("The server has started, but its Sallyport application has not.", logStart);
            }
            if (health.status() == ReadinessStatus.UNTRUSTED && isDeploymentDone(logStart)) {
                throw failure(
                        "The server has started, but its readiness cannot be checked. "
                                + TerminalTextEscaper.escapeText(health.summary()) + ". "
                                + HttpClientFactory.TLS_ADVICE,
                        logStart);
            }
            if (waited.compareTo(timeout) > 0) {
                throw failure(
                        "The service was not ready after " + DurationFormat.format(timeout) + ": " + health.summary()
                                + ".",
                        logStart);
            }
            if (!announced) {
                terminal.printNote("Starting the service at " + entry.url() + " (10 to 30 seconds) ...");
                announced = true;
            }
            terminal.showProgress("Starting the service at " + entry.url() + " ... " + waited.toSeconds() + " s");
            pause();
        }
    }

    /** Without its application the server still starts to serve. It logs the end of the last deployment. */
    private boolean isApplicationMissing(ServerProcessRecord entry, long logStart) throws IOException {
        return isDeploymentDone(logStart)
                && readinessProbe.check(settings.url(), keyFor(entry)).status() == ReadinessStatus.STRANGE;
    }

    /** Another user of the machine may have taken the port before the process did. */
    private Optional<String> keyFor(ServerProcessRecord entry) {
        return entry.isServing(entry.url()) ? settings.readKey() : Optional.empty();
    }

    private boolean isDeploymentDone(long logStart) throws IOException {
        return new ServerLog(settings.logFile())
                .tail(MAX_LOG_LINES, logStart).stream().anyMatch(ServerCommandLine::isDeploymentDone);
    }

    private ServerStartException failure(String what, long logStart) throws IOException {
        List<String> advice = new ArrayList<>();
        List<String> lines = LogExcerpt.extract(new ServerLog(settings.logFile()).tail(MAX_LOG_LINES, logStart));
        if (!lines.isEmpty()) {
            advice.add("From its log:");
            lines.forEach(line -> advice.add("  | " + TerminalTextEscaper.escapeText(line)));
        }
        advice.add("The whole log: " + settings.logFile());
        return new ServerStartException(what, advice);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_INTERVAL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the service", e);
        }
    }
}
