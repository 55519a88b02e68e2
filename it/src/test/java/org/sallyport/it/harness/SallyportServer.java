package org.sallyport.it.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.local.ServerCommandLine;
import org.sallyport.cli.local.ServerSettings;

/**
 * A server process, started as users start it. A test may stop it and start it again on the same data and port. It ends
 * with this JVM at the latest.
 */
public final class SallyportServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SallyportServer.class.getName());
    private static final Duration START_TIMEOUT = Duration.ofSeconds(240);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);
    private static final int LOG_TAIL_LINES = 60;
    private static final AtomicInteger COUNTER = new AtomicInteger();

    private final ServerSetup setup;
    private final ServerSettings settings;
    private final Path log;
    private final List<ProcessHandle> knownDescendants = new ArrayList<>();
    private @Nullable Process process;
    private volatile @Nullable RestClient lastClient;

    SallyportServer(ServerSetup setup) {
        this.setup = setup;
        this.settings = setup.commandSettings();
        this.log = CheckoutPaths.logDirectory()
                .resolve(setup.name() + "-" + ProcessHandle.current().pid() + "." + COUNTER.incrementAndGet() + ".log");
        // Deletes the log of an earlier test run.
        log.toFile().delete();
    }

    /** Starts the process again with the same data and port. */
    public void startProcess() {
        List<String> command = ServerCommandLine.build(settings);
        try {
            Files.createDirectories(log.getParent());
            ServerCommandLine.writeFiles(settings);
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
            builder.environment().putAll(setup.environment());
            process = builder.directory(CheckoutPaths.logDirectory().toFile())
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the server is ready. Throws {@link AssertionError} with the end of its log if it does not become
     * ready in time.
     */
    public void awaitReady() {
        awaitReady(api());
    }

    /** Like {@link #awaitReady()}, with a client that trusts the server's certificate. */
    public void awaitReady(RestClient client) {
        long startNanos = System.nanoTime();
        long end = startNanos + START_TIMEOUT.toNanos();
        while (!isReady(client)) {
            if (!isAlive() || System.nanoTime() > end) {
                String threads =
                        isAlive() ? "\nand its threads are\n" + ProcessInspector.jcmd(pid(), "Thread.print") : "";
                throw new AssertionError(
                        "the server is not ready; its log " + log + " ends with\n" + logTail() + threads);
            }
            pause();
        }
        LOG.log(
                Level.INFO,
                "Server {0} ready after {1} ms",
                setup.name(),
                (System.nanoTime() - startNanos) / 1_000_000);
    }

    private static boolean isReady(RestClient client) {
        try {
            return client.withoutKey().get("/health/ready").status() == 200;
        } catch (AssertionError e) {
            return false;
        }
    }

    /** Its base URL. */
    public URI url() {
        return settings.url();
    }

    /** Its data directory. */
    public Path dataDirectory() {
        return setup.dataDirectory();
    }

    /** The value of a setting with which the server was started. */
    public String setting(String name) {
        return Optional.ofNullable(setup.settings().get(name))
                .orElseThrow(() -> new AssertionError("started without " + name));
    }

    /** The node id that its first start created, without the number of the incarnation. */
    public String nodeId() {
        try {
            return Files.readString(dataDirectory().resolve("node.id")).strip();
        } catch (IOException e) {
            throw new AssertionError("the node has no id", e);
        }
    }

    /** The admin key that its first start wrote. */
    public String adminKey() {
        return settings.readKey()
                .orElseThrow(() -> new AssertionError("there is no admin.key in " + setup.dataDirectory()));
    }

    /** A client with the admin key, if the key exists yet. */
    public RestClient api() {
        return new RestClient(url(), settings.readKey());
    }

    /** Registers a client of this server; if a test fails, the report contains that client's executions. */
    void addClient(RestClient client) {
        lastClient = client;
    }

    /** The client with the admin key, and the client that was registered last. */
    Stream<RestClient> clients() {
        return Stream.concat(Stream.of(api()), Stream.ofNullable(lastClient));
    }

    /** The process id of the server. */
    public long pid() {
        return process().pid();
    }

    /** Returns whether the server was ever started. */
    boolean wasStarted() {
        return process != null;
    }

    /** Returns whether the process is alive. */
    public boolean isAlive() {
        return process().isAlive();
    }

    /** Waits for the exit code of the process. Throws {@link AssertionError} if the process does not end in time. */
    public int awaitExitCode(Duration limit) {
        try {
            if (process().waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process().exitValue();
            }
            throw new AssertionError("the server still runs after " + limit + "; its log ends with\n" + logTail());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** All live descendants: workers and the processes that isolate them. */
    public List<ProcessHandle> descendants() {
        List<ProcessHandle> below = ProcessInspector.descendants(pid());
        synchronized (knownDescendants) {
            knownDescendants.addAll(below);
        }
        return below;
    }

    /** The Java processes that run its scripts. */
    public List<ProcessHandle> workers() {
        return descendants().stream().filter(ProcessInspector::isWorker).toList();
    }

    /** Asks the server to stop (SIGTERM) and waits until it has ended. */
    public void stop() {
        descendants();
        process().destroy();
        awaitExitCode(STOP_TIMEOUT);
    }

    /** Kills the server (SIGKILL) and waits until it has ended. */
    public void kill() {
        descendants();
        process().destroyForcibly();
        awaitExitCode(STOP_TIMEOUT);
    }

    /** Everything that all its processes have printed. */
    public String logText() {
        try {
            return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last lines of its log. */
    public String logTail() {
        List<String> lines = logText().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    /** Kills the server with all processes that it started and deletes its data. The log remains. */
    @Override
    public void close() {
        terminate();
        DirectoryCleanup.delete(setup.dataDirectory());
        RunningServerRegistry.remove(this);
    }

    /** Kills the server and all processes that it started, even those that survived the death of an earlier process. */
    void terminate() {
        Process running = process;
        if (running == null) {
            return;
        }
        if (running.isAlive()) {
            descendants();
            running.destroyForcibly();
            try {
                running.waitFor(15, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (knownDescendants) {
            knownDescendants.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private Process process() {
        return Optional.ofNullable(process).orElseThrow(() -> new AssertionError("the server was never started"));
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
