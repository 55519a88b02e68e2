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
 * A server process, started as users start it. May be ended and started again on the same data and port. Ends at the latest
 * with this JVM.
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
        // What an earlier run has left there.
        log.toFile().delete();
    }

    /** Starts the process again: same data, same port. */
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

    /** Waits until the server says that it is ready; {@link AssertionError} with the end of its log when it does not. */
    public void awaitReady() {
        awaitReady(api());
    }

    /** As {@link #awaitReady()}, asked by a client that trusts its certificate. */
    public void awaitReady(RestClient client) {
        long begin = System.nanoTime();
        long end = begin + START_TIMEOUT.toNanos();
        while (!isReady(client)) {
            if (!isAlive() || hasDeploymentFailed() || System.nanoTime() > end) {
                String threads =
                        isAlive() ? "\nand its threads are\n" + ProcessInspector.jcmd(pid(), "Thread.print") : "";
                throw new AssertionError(
                        "the server is not ready; its log " + log + " ends with\n" + logTail() + threads);
            }
            pause();
        }
        LOG.log(Level.INFO, "Server {0} ready after {1} ms", setup.name(), (System.nanoTime() - begin) / 1_000_000);
    }

    private static boolean isReady(RestClient client) {
        try {
            return client.withoutKey().get("/health/ready").status() == 200;
        } catch (AssertionError e) {
            return false;
        }
    }

    private boolean hasDeploymentFailed() {
        return logText().contains("Exception while loading the app");
    }

    /** Where it answers. */
    public URI url() {
        return settings.url();
    }

    /** Its data directory. */
    public Path dataDirectory() {
        return setup.dataDirectory();
    }

    /** The value of a setting that it was started with. */
    public String setting(String name) {
        return Optional.ofNullable(setup.settings().get(name))
                .orElseThrow(() -> new AssertionError("started without " + name));
    }

    /** What its first start called it, without the number of the start. */
    public String nodeId() {
        try {
            return Files.readString(dataDirectory().resolve("node.id")).strip();
        } catch (IOException e) {
            throw new AssertionError("the node has no id", e);
        }
    }

    /** The key that its first start wrote. */
    public String adminKey() {
        return settings.readKey()
                .orElseThrow(() -> new AssertionError("there is no admin.key in " + setup.dataDirectory()));
    }

    /** A client that carries the admin key, if there is one yet. */
    public RestClient api() {
        return new RestClient(url(), settings.readKey());
    }

    /** Notes a client of this server, whose executions are printed if a test fails. */
    void addClient(RestClient client) {
        lastClient = client;
    }

    /** The client that carries the admin key, and the one that was noted last. */
    Stream<RestClient> clients() {
        return Stream.concat(Stream.of(api()), Stream.ofNullable(lastClient));
    }

    /** The process id of the server. */
    public long pid() {
        return process().pid();
    }

    /** Whether it was started at all. */
    boolean wasStarted() {
        return process != null;
    }

    /** Whether the process lives. */
    public boolean isAlive() {
        return process().isAlive();
    }

    /** Exit code of a process that has ended; {@link AssertionError} when it does not end in time. */
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

    /** Everything that it started and that lives: workers and what isolates them. */
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

    /** Asks it to end (SIGTERM) and waits until it has. */
    public void stop() {
        descendants();
        process().destroy();
        awaitExitCode(STOP_TIMEOUT);
    }

    /** Ends it without asking (SIGKILL). */
    public void kill() {
        descendants();
        process().destroyForcibly();
        awaitExitCode(STOP_TIMEOUT);
    }

    /** All that it has printed in all its lives. */
    public String logText() {
        try {
            return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last of what it has printed. */
    public String logTail() {
        List<String> lines = logText().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    /** Ends it with all that it has started, and removes its data. The log stays. */
    @Override
    public void close() {
        terminate();
        DirectoryCleanup.delete(setup.dataDirectory());
        RunningServerRegistry.remove(this);
    }

    /** Whatever it has started ends with it, however badly it was treated. */
    void terminate() {
        Process running = process;
        if (running == null) {
            return;
        }
        if (running.isAlive()) {
            descendants();
            running.destroy();
            try {
                if (!running.waitFor(15, TimeUnit.SECONDS)) {
                    running.destroyForcibly();
                }
            } catch (InterruptedException e) {
                running.destroyForcibly();
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
