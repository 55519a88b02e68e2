package org.sallyport.bench.service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.local.LocalServer;
import org.sallyport.cli.local.ReadinessProbe;
import org.sallyport.cli.local.ServerCommandLine;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.local.ServerStartException;
import org.sallyport.cli.terminal.Terminal;

/**
 * A separate server process with a free port and its own data directory, started as users start it. Other settings come
 * from the environment, as for any start.
 */
public final class BenchmarkServer implements ServiceUnderTest, AutoCloseable {
    private static final Duration STOP_GRACE = Duration.ofSeconds(15);
    private static final String LOOPBACK = "127.0.0.1";

    private final ServerSettings settings;
    private final LocalServer server;

    /**
     * Creates the server without starting it.
     *
     * @param layout directory with the archives of the server
     * @param data data directory, empty or not yet present
     * @param javaOptions options of its Java VM
     */
    public BenchmarkServer(Path layout, Path data, List<String> javaOptions, Terminal terminal) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        this.settings = new ServerSettings(layout, data, LOOPBACK, freePort(), java, javaOptions);
        this.server = new LocalServer(
                settings,
                ServerCommandLine.build(settings),
                () -> ServerCommandLine.writeFiles(settings),
                terminal,
                new ReadinessProbe(new HttpClientFactory()));
    }

    /**
     * Starts the server and waits until it is ready.
     *
     * @throws ServerStartException if the server does not become ready; then no process of it is left
     */
    public void start(Duration timeout) throws ServerStartException, IOException {
        List<Path> missing = ServerCommandLine.missingFiles(settings);
        if (!missing.isEmpty()) {
            throw new ServerStartException(
                    "The service has not been built: " + missing.get(0) + " is missing.",
                    List.of("Build it: ./mvnw -DskipTests package"));
        }
        server.start(timeout);
    }

    @Override
    public URI url() {
        return settings.url();
    }

    @Override
    public String key() {
        return settings.readKey()
                .orElseThrow(() -> new IllegalStateException(
                        "the service is ready but has not written its key to " + settings.keyFile()));
    }

    @Override
    public Optional<ServiceResourceUsage> usage() {
        return process().flatMap(process -> new ProcessUsageReader().usage(process));
    }

    @Override
    public OptionalLong liveHeap() {
        return process().map(process -> LiveHeapReader.read(process.pid())).orElseGet(OptionalLong::empty);
    }

    @Override
    public List<WorkerProcessHandle> workers() {
        return process()
                .map(process -> new ProcessUsageReader().workers(process))
                .orElseGet(List::of);
    }

    private Optional<ProcessHandle> process() {
        try {
            return server.findRunning().flatMap(started -> ProcessHandle.of(started.pid()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Stops the server and every process that it started. May be called at any time after the beginning of the start.
     */
    @Override
    public void close() throws IOException {
        server.stop(STOP_GRACE);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            return socket.getLocalPort();
        }
    }
}
