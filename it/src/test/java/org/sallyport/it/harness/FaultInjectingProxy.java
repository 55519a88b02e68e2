package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy before a server that can break connections, after it has forwarded a request and before it forwards the
 * response, or at any time; and that can stop reading.
 */
public final class FaultInjectingProxy implements AutoCloseable {
    private static final CountDownLatch RESUMED = new CountDownLatch(0);

    private final AtomicInteger remainingDrops = new AtomicInteger();
    private final AtomicInteger droppedResponses = new AtomicInteger();
    private volatile String requestPrefix = "";
    /** Each direction of a connection waits for it before it forwards bytes that it has read. */
    private volatile CountDownLatch resumeSignal = RESUMED;

    private final TcpProxy proxy;

    /** @param port port of the server on this machine */
    public FaultInjectingProxy(int port) {
        proxy = new TcpProxy(port, ForwardedBytes::new);
    }

    /** The port to use instead of the server's. */
    public int port() {
        return proxy.port();
    }

    /** The URL to use instead of the server's. */
    public String url() {
        return "http://127.0.0.1:" + port();
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
     * Stops reading from all connections, and from those that it still accepts. What clients and server send fills the
     * buffers of the system.
     */
    public void stopReading() {
        resumeSignal = new CountDownLatch(1);
    }

    /** Forwards again. No byte is lost, except on connections that were closed meanwhile. */
    public void resumeReading() {
        CountDownLatch stopped = resumeSignal;
        resumeSignal = RESUMED;
        stopped.countDown();
    }

    /**
     * Closes all open connections, even during a transfer. Later connections work. Returns the number of closed
     * connections.
     */
    public int closeConnections() {
        return proxy.closeConnections();
    }

    private void awaitResume() throws InterruptedIOException {
        try {
            resumeSignal.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the proxy is closed");
        }
    }

    private final class ForwardedBytes implements TcpProxy.ConnectionForwarder {
        private final ProxiedConnection connection;
        private volatile boolean dropping;

        ForwardedBytes(ProxiedConnection connection) {
            this.connection = connection;
        }

        @Override
        public void forwardRequests() throws IOException {
            forward(connection.client(), connection.server(), true);
        }

        @Override
        public void forwardResponses() throws IOException {
            forward(connection.server(), connection.client(), false);
        }

        private void forward(Socket from, Socket to, boolean up) throws IOException {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[1 << 16];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                awaitResume();
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
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
