package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy before a server that can break connections: after it has forwarded a request and before it forwards the
 * response, or at any time.
 */
public final class FaultInjectingProxy implements AutoCloseable {
    private final ServerSocket serverSocket;
    private final int port;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger remainingDrops = new AtomicInteger();
    private final AtomicInteger droppedResponses = new AtomicInteger();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private volatile String requestPrefix = "";

    /** @param port port of the server on this machine */
    public FaultInjectingProxy(int port) {
        this.port = port;
        try {
            serverSocket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::acceptConnections);
    }

    /** The URL to use instead of the server's. */
    public String url() {
        return "http://127.0.0.1:" + serverSocket.getLocalPort();
    }

    /** Drops the responses to the next {@code times} requests that start with {@code beginning}. */
    public void dropResponses(int times, String beginning) {
        requestPrefix = beginning;
        droppedResponses.set(0);
        remainingDrops.set(times);
    }

    /** Number of responses that were dropped since then. */
    public int droppedResponses() {
        return droppedResponses.get();
    }

    /**
     * Closes all open connections, even during a transfer. Later connections work. Returns the number of closed
     * connections.
     */
    public int closeConnections() {
        List<ProxiedConnection> lines = List.copyOf(connections);
        lines.forEach(ProxiedConnection::close);
        return lines.size();
    }

    private void acceptConnections() {
        while (!serverSocket.isClosed()) {
            try {
                Socket client = serverSocket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                new ProxiedConnection(client, server).start();
            } catch (IOException e) {
                // The proxy is closed, or the server is down. In both cases there is no connection to forward.
            }
        }
    }

    private final class ProxiedConnection {
        private final Socket client;
        private final Socket server;
        private volatile boolean dropping;

        ProxiedConnection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void start() {
            connections.add(this);
            threads.execute(() -> forward(client, server, true));
            threads.execute(() -> forward(server, client, false));
        }

        void close() {
            connections.remove(this);
            try (client;
                    server) {
                // The try statement closes both sockets.
            } catch (IOException e) {
                // The other side has already closed.
            }
        }

        private void forward(Socket from, Socket to, boolean up) {
            try (client;
                    server) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[1 << 16];
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    String text = new String(bytes, 0, read, StandardCharsets.ISO_8859_1);
                    if (up
                            && remainingDrops.get() > 0
                            && text.startsWith(requestPrefix)
                            && remainingDrops.getAndDecrement() > 0) {
                        dropping = true;
                    }
                    if (!up && dropping) {
                        droppedResponses.incrementAndGet();
                        return; // drop the response
                    }
                    out.write(bytes, 0, read);
                    out.flush();
                }
            } catch (IOException e) {
                // The other side has already closed.
            } finally {
                connections.remove(this);
            }
        }
    }

    @Override
    public void close() {
        try {
            serverSocket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            threads.shutdownNow();
        }
    }
}
