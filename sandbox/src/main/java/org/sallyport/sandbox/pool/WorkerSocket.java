package org.sallyport.sandbox.pool;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/**
 * The socket that workers connect to. A connection that does not present the token of an expected worker within 10
 * seconds is closed. Scripts that have taken over a worker may reach the socket, so only a few connections may be open
 * without a token: a further one closes the oldest of them, because an intact worker sends its token at once.
 */
final class WorkerSocket implements Closeable {
    private static final long HANDSHAKE_TIMEOUT_SECONDS = 10;
    /** Enough for a version and a token. */
    private static final int MAX_HELLO_BYTES = 1_024;

    private static final System.Logger LOG = System.getLogger(WorkerSocket.class.getName());

    private final Path path;
    private final ServerSocketChannel server;
    private final ScheduledExecutorService timerExecutor;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Worker> workerByToken = new ConcurrentHashMap<>();
    private final int maxConnectionsWithoutToken;
    /** The oldest first; guarded by itself. */
    private final Deque<FrameChannel> withoutToken = new ArrayDeque<>();

    WorkerSocket(Path path, ScheduledExecutorService clock, int maxConnectionsWithoutToken) throws IOException {
        this.path = path;
        this.timerExecutor = clock;
        this.maxConnectionsWithoutToken = maxConnectionsWithoutToken;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        DaemonThreads.newThread("sallyport-worker-socket", this::acceptConnections)
                .start();
    }

    Path path() {
        return path;
    }

    /** Returns a new token that admits {@code worker} once. */
    String issueToken(Worker worker) {
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        workerByToken.put(token, worker);
        return token;
    }

    void revokeToken(String token) {
        workerByToken.remove(token);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException alreadyClosed) {
            // The socket is already closed.
        }
    }

    private void acceptConnections() {
        while (server.isOpen()) {
            try {
                accept(server.accept());
            } catch (IOException closed) {
                // The loop condition tells whether the server socket or the connection was closed.
            } catch (RuntimeException | OutOfMemoryError failure) {
                // Without this thread, no worker could connect any more.
                LOG.log(System.Logger.Level.ERROR, "a connection to the socket of the workers was not taken", failure);
            }
        }
    }

    private void accept(SocketChannel accepted) throws IOException {
        FrameChannel channel = FrameChannel.nonBlocking(accepted);
        boolean handedOver = false;
        try {
            addWithoutToken(channel);
            DaemonThreads.newThread("sallyport-worker-reader", () -> handshake(channel))
                    .start();
            handedOver = true;
        } finally {
            if (!handedOver) {
                channel.close();
            }
        }
    }

    private void addWithoutToken(FrameChannel channel) {
        FrameChannel oldest = null;
        synchronized (withoutToken) {
            withoutToken.addLast(channel);
            if (withoutToken.size() > maxConnectionsWithoutToken) {
                oldest = withoutToken.removeFirst();
            }
        }
        if (oldest != null) {
            oldest.close();
        }
    }

    /** Runs as long as the worker lives: the handshake thread becomes the worker's reader thread. */
    private void handshake(FrameChannel channel) {
        try (channel) {
            Worker worker = awaitHello(channel);
            if (worker != null) {
                worker.readFrames(channel);
            }
        } catch (IOException | RejectedExecutionException stranger) {
            // The peer is not a worker. The missing connection of a real worker is noticed by its start timeout.
        }
    }

    /** Returns the worker that connects, or null for a peer that is not expected. */
    private @Nullable Worker awaitHello(FrameChannel channel) throws IOException {
        var late = timerExecutor.schedule(channel::close, HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        try {
            return channel.receive(MAX_HELLO_BYTES) instanceof Frame.HelloFrame hello
                            && hello.version() == Frame.VERSION
                    ? workerByToken.remove(hello.token())
                    : null;
        } finally {
            // A connection that has ended must not use memory until then.
            late.cancel(false);
            synchronized (withoutToken) {
                withoutToken.remove(channel);
            }
        }
    }
}
