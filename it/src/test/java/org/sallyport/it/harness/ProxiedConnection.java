package org.sallyport.it.harness;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** A connection of a client that a {@link TcpProxy} has accepted, and the connection to the server. Thread-safe. */
final class ProxiedConnection implements AutoCloseable {
    private final Socket client;
    private final Socket server;

    ProxiedConnection(Socket client, Socket server) {
        this.client = client;
        this.server = server;
    }

    Socket client() {
        return client;
    }

    Socket server() {
        return server;
    }

    /** Ends the connection of the client with a reset. The server keeps its connection. */
    void resetClient() {
        try {
            client.setSoLinger(true, 0);
        } catch (SocketException e) {
            // The client has already closed.
        }
        closeQuietly(client);
    }

    @Override
    public void close() {
        closeQuietly(client);
        closeQuietly(server);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The other side has already closed.
        }
    }
}
