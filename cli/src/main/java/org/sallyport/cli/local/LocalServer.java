package org.sallyport.cli.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.sallyport.cli.local.ReadinessProbe.ReadinessStatus;
import org.sallyport.cli.local.ReadinessProbe.ServiceHealth;
import org.sallyport.cli.terminal.Terminal;

/**
 * The service of one data directory on this machine. Starts and stops it completely: neither a failed start nor a stop
 * leaves processes behind. A lock in the directory serializes concurrent starts.
 */
public final class LocalServer {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    private final ServerSettings settings;
    private final List<String> command;
    private final StartPreparation preparation;
    private final Terminal terminal;
    private final ReadinessProbe readinessProbe;
    private final ServerStarter starter;

    /** Creates the files that a command refers to. */
    public interface StartPreparation {
        void prepare() throws IOException;
    }

    /**
     * @param command command line of the service
     * @param preparation runs before a start only; a running or starting service keeps its files
     * @param readiness checks whether the service is ready
     */
    public LocalServer(
            ServerSettings settings,
            List<String> command,
            StartPreparation preparation,
            Terminal terminal,
            ReadinessProbe readiness) {
        this.settings = settings;
        this.command = List.copyOf(command);
        this.preparation = preparation;
        this.terminal = terminal;
        this.readinessProbe = readiness;
        this.starter = new ServerStarter(settings, terminal, readiness);
    }

    /** Returns process and address of the service, if it runs. */
    public Optional<ServerProcessRecord> findRunning() throws IOException {
        return ServerProcessRecord.read(settings.recordFile())
                .filter(entry -> entry.findProcess(ServerCommandLine.processMarker(settings))
                        .isPresent());
    }

    /**
     * Returns the administrator's key for an address of this machine. Empty unless the process of the running service
     * is the one that listens there: another user of the machine can listen on the port of a service that was stopped.
     */
    public Optional<String> keyFor(URI loopback) throws IOException {
        return findRunning().flatMap(entry -> entry.isServing(loopback) ? settings.readKey() : Optional.empty());
    }

    /** Returns the number of processes that the running service started. */
    public long countWorkers() throws IOException {
        Optional<ServerProcessRecord> entry = findRunning();
        return entry.isEmpty() ? 0 : processTree(entry.get()).countDescendants();
    }

    /**
     * Ensures that the service runs and is ready: waits for one that is already starting, else starts it.
     *
     * @param timeout maximum time until it is ready
     * @throws ServerStartException if the port is taken, the process ends, or it does not become ready
     */
    public ServerStartResult start(Duration timeout) throws ServerStartException, IOException {
        DataDirectory.createPrivately(settings.dataDirectory());
        Path lock = settings.dataDirectory().resolve("server.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            acquireLock(channel);
            Optional<ServerProcessRecord> there = findRunning();
            if (there.isPresent()) {
                try {
                    starter.awaitReady(there.get(), timeout, new ServerLog(settings.logFile()).length());
                    return new ServerStartResult(there.get(), false);
                } catch (ServerStartException e) {
                    if (findRunning().isPresent()) {
                        throw e;
                    }
                    // The found process was ending, as a killed one does for a moment. Start a new one.
                }
            }
            requireFreePort();
            preparation.prepare();
            Files.deleteIfExists(settings.recordFile());
            return new ServerStartResult(starter.start(command, timeout), true);
        }
    }

    /**
     * Stops the service and all processes that it started.
     *
     * @param grace time for the service to end by itself
     */
    public ServerStopResult stop(Duration grace) throws IOException {
        Optional<ServerProcessRecord> entry = ServerProcessRecord.read(settings.recordFile());
        if (entry.isEmpty()) {
            Files.deleteIfExists(settings.recordFile());
            return ServerStopResult.WAS_NOT_RUNNING;
        }
        boolean lives = findRunning().isPresent();
        ProcessTree tree = processTree(entry.get());
        boolean orphans = !lives && tree.countDescendants() > 0;
        boolean killed = tree.terminate(grace);
        Files.deleteIfExists(settings.recordFile());
        if (lives) {
            return killed ? ServerStopResult.KILLED : ServerStopResult.ENDED;
        }
        return orphans ? ServerStopResult.LEFTOVERS_ENDED : ServerStopResult.WAS_NOT_RUNNING;
    }

    private ProcessTree processTree(ServerProcessRecord entry) {
        return new ProcessTree(entry.pid(), entry.findProcess(ServerCommandLine.processMarker(settings)));
    }

    /** The lock is held until the channel is closed. */
    private void acquireLock(FileChannel channel) throws IOException {
        boolean announced = false;
        while (!tryLock(channel)) {
            if (!announced) {
                terminal.printNote("Another process is starting this service; waiting for it.");
                announced = true;
            }
            pause();
        }
    }

    /** Returns whether this process has the lock of the file, which it keeps until it closes the channel. */
    static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // The other start is in this process.
            return false;
        }
    }

    private void requireFreePort() throws ServerStartException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(settings.host()), settings.port()));
        } catch (IOException e) {
            String reason = Objects.toString(e.getMessage(), "unknown reason");
            if (!reason.contains("in use")) {
                throw new ServerStartException(
                        "The service cannot listen on " + settings.host() + ", port " + settings.port() + ": " + reason,
                        List.of("Choose another address or port: SALLYPORT_HOST, SALLYPORT_PORT."));
            }
            ServiceHealth health = readinessProbe.check(settings.url(), Optional.empty());
            String who = health.status() == ReadinessStatus.READY || health.status() == ReadinessStatus.NOT_READY
                    ? "Another Sallyport service answers there, with another data directory."
                    : "Another program listens there.";
            throw new ServerStartException(
                    "Port " + settings.port() + " on " + settings.host() + " is busy, so the service was not started.",
                    List.of(
                            who,
                            "Stop it, or choose another port: SALLYPORT_PORT=" + (settings.port() + 1)
                                    + " sallyport up"));
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_INTERVAL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the service", e);
        }
    }

    /**
     * A service that is ready.
     *
     * @param newlyStarted whether it was started now, rather than found
     */
    public record ServerStartResult(ServerProcessRecord server, boolean newlyStarted) {}

    /** Result of {@link #stop}. */
    public enum ServerStopResult {
        WAS_NOT_RUNNING,
        ENDED,
        /** The service did not end in time and was killed. */
        KILLED,
        /** The service had ended, but processes that it had started had not. */
        LEFTOVERS_ENDED
    }
}
