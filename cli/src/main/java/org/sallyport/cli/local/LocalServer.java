package org.sallyport.cli.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.sallyport.cli.local.Readiness.Health;
import org.sallyport.cli.local.Readiness.Status;
import org.sallyport.cli.terminal.Terminal;

/**
 * The service of one data directory on this machine. Starts and stops it whole: of a start that fails nothing is left, and
 * of a service that was stopped neither. Two starts at once are held apart by a lock in the directory.
 */
public final class LocalServer {
    private static final Duration STEP = Duration.ofMillis(200);

    private final ServerSettings settings;
    private final List<String> command;
    private final Preparation preparation;
    private final Terminal terminal;
    private final Readiness readiness;
    private final ServerStart start;

    /** Makes what a command refers to. */
    public interface Preparation {
        void prepare() throws IOException;
    }

    /**
     * @param command what to run as the service
     * @param preparation done before that, and only then: a service that runs or starts keeps what it was started with
     * @param readiness asks it whether it is ready
     */
    public LocalServer(
            ServerSettings settings,
            List<String> command,
            Preparation preparation,
            Terminal terminal,
            Readiness readiness) {
        this.settings = settings;
        this.command = List.copyOf(command);
        this.preparation = preparation;
        this.terminal = terminal;
        this.readiness = readiness;
        this.start = new ServerStart(settings, terminal, readiness);
    }

    /** The service's process and address, if it runs. */
    public Optional<ServerRecord> running() throws IOException {
        return ServerRecord.read(settings.recordFile())
                .filter(entry -> entry.process(ServerCommand.mark(settings)).isPresent());
    }

    /** Processes that the running service has started. */
    public long workers() throws IOException {
        Optional<ServerRecord> entry = running();
        return entry.isEmpty() ? 0 : tree(entry.get()).below();
    }

    /**
     * Has the service running and ready: waits for one that is starting already, else starts it.
     *
     * @param patience how long it may take to become ready
     * @throws StartException if the port is taken, the process ends, or it does not become ready
     */
    public Started up(Duration patience) throws StartException, IOException {
        DataDirectory.make(settings.data());
        Path lock = settings.data().resolve("server.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock(channel);
            Optional<ServerRecord> there = running();
            if (there.isPresent()) {
                try {
                    start.awaitReady(there.get(), patience, new ServerLog(settings.log()).length());
                    return new Started(there.get(), false);
                } catch (StartException e) {
                    if (running().isPresent()) {
                        throw e;
                    }
                    // It was about to end, as one that was killed is for a moment: ours is the next.
                }
            }
            requireFreePort();
            preparation.prepare();
            Files.deleteIfExists(settings.recordFile());
            return new Started(start.begin(command, patience), true);
        }
    }

    /**
     * Stops the service and everything that it started.
     *
     * @param grace how long it may take to end by itself
     */
    public Stopped down(Duration grace) throws IOException {
        Optional<ServerRecord> entry = ServerRecord.read(settings.recordFile());
        if (entry.isEmpty()) {
            Files.deleteIfExists(settings.recordFile());
            return Stopped.WAS_NOT_RUNNING;
        }
        boolean lives = running().isPresent();
        ProcessTree tree = tree(entry.get());
        boolean orphans = !lives && tree.below() > 0;
        boolean killed = tree.end(grace);
        Files.deleteIfExists(settings.recordFile());
        if (lives) {
            return killed ? Stopped.KILLED : Stopped.ENDED;
        }
        return orphans ? Stopped.LEFTOVERS_ENDED : Stopped.WAS_NOT_RUNNING;
    }

    private ProcessTree tree(ServerRecord entry) {
        return new ProcessTree(entry.pid(), entry.process(ServerCommand.mark(settings)));
    }

    /** Held until the channel is closed. */
    private void lock(FileChannel channel) throws IOException {
        boolean told = false;
        while (!locked(channel)) {
            if (!told) {
                terminal.note("Another start of this service is under way; waiting for it.");
                told = true;
            }
            pause();
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // The other start is in this very process.
            return false;
        }
    }

    private void requireFreePort() throws StartException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(settings.host()), settings.port()));
        } catch (IOException e) {
            String reason = Objects.toString(e.getMessage(), "unknown reason");
            if (!reason.contains("in use")) {
                throw new StartException(
                        "The service cannot listen on " + settings.host() + ", port " + settings.port() + ": " + reason,
                        List.of("Choose another address or port: SALLYPORT_HOST, SALLYPORT_PORT."));
            }
            Health health = readiness.of(settings.url(), Optional.empty());
            String who = health.status() == Status.READY || health.status() == Status.NOT_READY
                    ? "Another Sallyport service answers there, with another data directory."
                    : "Another program listens there.";
            throw new StartException(
                    "Port " + settings.port() + " on " + settings.host() + " is busy, so the service was not started.",
                    List.of(
                            who,
                            "Stop it, or choose another port: SALLYPORT_PORT=" + (settings.port() + 1)
                                    + " sallyport up"));
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(STEP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the service", e);
        }
    }

    /**
     * A service that is ready.
     *
     * @param fresh whether it was started now, rather than found
     */
    public record Started(ServerRecord server, boolean fresh) {}

    /** What {@link #down} found and did. */
    public enum Stopped {
        WAS_NOT_RUNNING,
        ENDED,
        /** It did not end in time and was killed. */
        KILLED,
        /** The service was gone, but processes that it had started were not. */
        LEFTOVERS_ENDED
    }
}
