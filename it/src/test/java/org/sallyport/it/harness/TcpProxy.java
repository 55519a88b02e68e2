package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * Accepts connections at a free port of this host, and connects each of them to a server of this host. Each direction
 * of a connection has a thread, which forwards the bytes as a {@link ConnectionForwarder} says. Thread-safe.
 */
final class TcpProxy implements AutoCloseable {
    private final ServerSocket serverSocket;
    private final int serverPort;
    private final Function<ProxiedConnection, ConnectionForwarder> forwarders;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

    /** Forwards the bytes of one connection. The connection is closed when one of the methods returns or throws. */
    interface ConnectionForwarder {
        /** Forwards from the client to the server until the client closes the connection. */
        void forwardRequests() throws IOException;

        /** Forwards from the server to the client until the server closes the connection. */
        void forwardResponses() throws IOException;
    }

    /** A direction of a connection. */
    private interface ForwardingTask {
        void run() throws IOException;
    }

    /**
     * Starts the proxy.
     *
     * @param serverPort port of the server on this host
     * @param forwarders called for each connection
     */
    TcpProxy(int serverPort, Function<ProxiedConnection, ConnectionForwarder> forwarders) {
        this.serverPort = serverPort;
        this.forwarders = forwarders;
        try {
            serverSocket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::acceptConnections);
    }

    /** The port to use instead of the server's. */
    int port() {
        return serverSocket.getLocalPort();
    }

    /**
     * Closes all open connections, even during a transfer. Later connections work. Returns the number of closed
     * connections.
     */
    int closeConnections() {
        List<ProxiedConnection> open = List.copyOf(connections);
        open.forEach(ProxiedConnection::close);
        return open.size();
    }

    private void acceptConnections() {
        while (!serverSocket.isClosed()) {
            try {
                Socket client = serverSocket.accept();
                forward(client);
            } catch (IOException e) {
                // The proxy is closed, or the server is down. In both cases there is no connection to forward.
            }
        }
    }

    private void forward(Socket client) throws IOException {
        ProxiedConnection connection;
        try {
            connection = new ProxiedConnection(client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
        } catch (IOException e) {
            client.close();
            throw e;
        }
        client.setTcpNoDelay(true);
        connection.server().setTcpNoDelay(true);
        ConnectionForwarder forwarder = forwarders.apply(connection);
        connections.add(connection);
        threads.execute(() -> run(connection, forwarder::forwardRequests));
        threads.execute(() -> run(connection, forwarder::forwardResponses));
    }

    private void run(ProxiedConnection connection, ForwardingTask task) {
        try (connection) {
            task.run();
        } catch (IOException e) {
            // The other side has already closed.
        } finally {
            connections.remove(connection);
        }
    }

    /** Closes all connections and accepts no more. */
    @Override
    public void close() {
        try {
            serverSocket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            closeConnections();
            threads.shutdownNow();
        }
    }
}
