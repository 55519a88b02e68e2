package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One connection on which a test writes arbitrary bytes. Not thread-safe. */
public final class RawHttpConnection implements AutoCloseable {
    private static final int RECEIVE_BUFFER_BYTES = 4_096;

    private final Socket socket = new Socket();

    /** Opens the connection with a small receive buffer, so that unread data soon blocks the server. */
    public RawHttpConnection(URI server) {
        try {
            socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
            socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), 30_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request without a body in its wire format, with a key. */
    public static String getRequest(String path, String key) {
        return "GET " + path + " HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer " + key + "\r\n\r\n";
    }

    /** The head of a request whose body has {@code length} bytes. */
    public static String postHead(String path, int length, String... headers) {
        StringBuilder head = new StringBuilder("POST " + path
                + " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " + length + "\r\n");
        for (int i = 0; i < headers.length; i += 2) {
            head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    /** Sends the text. Returns false if the server has closed the connection. */
    public boolean send(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Reads the status of the response. Throws {@link AssertionError} if none arrives in time. */
    public int readStatus(Duration limit) {
        try {
            socket.setSoTimeout((int) limit.toMillis());
            StringBuilder line = new StringBuilder();
            int c = socket.getInputStream().read();
            while (c >= 0 && c != '\r') {
                line.append((char) c);
                c = socket.getInputStream().read();
            }
            String[] words = line.toString().split(" ");
            if (words.length < 2) {
                throw new AssertionError("no status line: '" + line + "'");
            }
            return Integer.parseInt(words[1]);
        } catch (IOException e) {
            throw new AssertionError("no answer within " + limit, e);
        }
    }

    /**
     * Reads until the server closes the connection. Throws {@link AssertionError} if it does not close in time. Returns
     * an empty text after a reset.
     */
    public String readToEnd(Duration limit) {
        try {
            socket.setSoTimeout((int) limit.toMillis());
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is open after " + limit, e);
        } catch (IOException e) {
            // Reset: the server closed before it read everything that was sent to it.
            return "";
        }
    }

    /**
     * Reads in pieces with a pause after each, until the server closes the connection or the limit expires. Returns the
     * number of bytes.
     */
    public long drain(int piece, Duration pause, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        long count = 0;
        try {
            socket.setSoTimeout((int) limit.toMillis());
            byte[] bytes = new byte[piece];
            int read = socket.getInputStream().read(bytes);
            while (read >= 0 && System.nanoTime() < end) {
                count += read;
                Thread.sleep(pause.toMillis());
                read = socket.getInputStream().read(bytes);
            }
            return count;
        } catch (IOException e) {
            return count;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
