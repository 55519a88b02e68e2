package org.sallyport.it.harness;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A proxy before a PostgreSQL server that loses commits or their answers. It knows a commit of a client by its text,
 * which the driver sends each time only with {@code prepareThreshold=0}. Clients cannot use TLS. Thread-safe.
 */
public final class DatabaseProxy implements AutoCloseable {
    private static final int SSL_REQUEST = 80_877_103;
    private static final int GSS_REQUEST = 80_877_104;
    private static final int MAX_START_LENGTH = 1 << 16;
    private static final long LATE_COMMIT_SECONDS = 60;
    private static final Pattern EXECUTION_ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** What happens to a commit that the client sees as a lost connection. */
    public enum CommitLoss {
        /** The transaction is committed, and the client's connection is reset instead of the answer. */
        ANSWER_RESET,
        /** The transaction is committed, and the client receives nothing more until it closes the connection. */
        ANSWER_WITHHELD,
        /** The server never receives the commit and rolls the transaction back. */
        NOT_COMMITTED,
        /** The transaction stays open until {@link DatabaseProxy#commitHeld}. The client's connection is reset. */
        COMMITTED_LATE
    }

    private final AtomicInteger lostCommits = new AtomicInteger();
    private final Queue<HeldCommit> heldCommits = new ConcurrentLinkedQueue<>();
    private volatile CommitFilter filter = CommitFilter.NONE;

    private final TcpProxy proxy;

    /** @param port port of the PostgreSQL server on this host */
    public DatabaseProxy(int port) {
        proxy = new TcpProxy(port, DatabaseConnection::new);
    }

    /** The port to use instead of the server's. */
    public int port() {
        return proxy.port();
    }

    /**
     * Loses commits of transactions that contain a text in a statement or a parameter. Replaces what was to be lost
     * before.
     *
     * @param marker the text; of an execution id, also its 16 bytes. An empty text is part of each transaction
     * @param first which of these commits is lost first, counted from now, from 1
     * @param losses what happens to it and to those that follow it
     */
    public void loseCommits(String marker, int first, CommitLoss... losses) {
        lostCommits.set(0);
        filter = new CommitFilter(toPatterns(marker), first, List.of(losses));
    }

    /** Loses no more commits. */
    public void loseNoCommits() {
        filter = CommitFilter.NONE;
    }

    /** Number of commits that were lost since {@link #loseCommits}. */
    public int lostCommits() {
        return lostCommits.get();
    }

    /** Number of transactions that {@link #commitHeld} would commit. */
    public int heldCommits() {
        return heldCommits.size();
    }

    /** Commits the transactions of {@link CommitLoss#COMMITTED_LATE}. Returns when the server has committed them. */
    public void commitHeld() {
        for (HeldCommit held = heldCommits.poll(); held != null; held = heldCommits.poll()) {
            held.released.complete(true);
            held.committed.orTimeout(LATE_COMMIT_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    private static List<byte[]> toPatterns(String marker) {
        if (marker.isEmpty()) {
            return List.of();
        }
        byte[] text = marker.getBytes(StandardCharsets.UTF_8);
        if (!EXECUTION_ID.matcher(marker).matches()) {
            return List.of(text);
        }
        UUID id = UUID.fromString(marker);
        return List.of(
                text,
                ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array());
    }

    /** Chooses the commits that are lost. Thread-safe. */
    private static final class CommitFilter {
        static final CommitFilter NONE = new CommitFilter(List.of(), 1, List.of());

        private final List<byte[]> patterns;
        private final int first;
        private final List<CommitLoss> losses;
        private int seen;

        CommitFilter(List<byte[]> patterns, int first, List<CommitLoss> losses) {
            this.patterns = patterns;
            this.first = first;
            this.losses = losses;
        }

        /** Whether the transaction of the message may lose its commit. */
        boolean matches(PostgreSqlMessage message) {
            return patterns.isEmpty() || patterns.stream().anyMatch(message::contains);
        }

        /** Counts the commit of a transaction that {@linkplain #matches matches}, and returns what happens to it. */
        synchronized Optional<CommitLoss> next() {
            int index = ++seen - first;
            return index >= 0 && index < losses.size() ? Optional.of(losses.get(index)) : Optional.empty();
        }
    }

    /**
     * A commit that the server has not received.
     *
     * @param released completes when the server may receive it
     * @param committed completes when the server has answered it
     */
    private record HeldCommit(CompletableFuture<Boolean> released, CompletableFuture<Boolean> committed) {
        HeldCommit() {
            this(new CompletableFuture<>(), new CompletableFuture<>());
        }
    }

    private final class DatabaseConnection implements TcpProxy.ConnectionForwarder {
        private final ProxiedConnection connection;
        /** The filter that matches the open transaction; null if none does. */
        private volatile @Nullable CommitFilter matching;
        /** What happens to the commit that the server is about to answer. */
        private volatile @Nullable CommitLoss answerLoss;

        private volatile @Nullable HeldCommit heldCommit;
        private volatile boolean discarding;

        DatabaseConnection(ProxiedConnection connection) {
            this.connection = connection;
        }

        @Override
        public void forwardRequests() throws IOException {
            DataInputStream client = new DataInputStream(
                    new BufferedInputStream(connection.client().getInputStream()));
            OutputStream server = new BufferedOutputStream(connection.server().getOutputStream());
            forwardStart(client, server);
            Optional<PostgreSqlMessage> next = PostgreSqlMessage.read(client);
            while (next.isPresent()) {
                PostgreSqlMessage message = next.get();
                CommitFilter current = filter;
                if (current.matches(message)) {
                    matching = current;
                }
                if (message.requestsCommit() && losesRequest(message, client, server)) {
                    return;
                }
                message.writeTo(server);
                if (client.available() == 0) {
                    server.flush();
                }
                next = PostgreSqlMessage.read(client);
            }
        }

        /** Forwards the first message, which has no type. Refuses encryption, as a server without TLS does. */
        private void forwardStart(DataInputStream client, OutputStream server) throws IOException {
            while (true) {
                int length = client.readInt();
                int code = client.readInt();
                if (length < 2 * Integer.BYTES || length > MAX_START_LENGTH) {
                    throw new IOException("the first message has the length " + length);
                }
                if (code == SSL_REQUEST || code == GSS_REQUEST) {
                    connection.client().getOutputStream().write('N');
                } else {
                    byte[] start = new byte[length];
                    ByteBuffer.wrap(start).putInt(length).putInt(code);
                    client.readFully(start, 2 * Integer.BYTES, length - 2 * Integer.BYTES);
                    server.write(start);
                    server.flush();
                    return;
                }
            }
        }

        /** Returns whether the server must not receive anything more from the client. */
        private boolean losesRequest(PostgreSqlMessage commit, DataInputStream client, OutputStream server)
                throws IOException {
            CommitFilter counting = matching;
            Optional<CommitLoss> loss = counting == null || counting != filter ? Optional.empty() : counting.next();
            if (loss.isEmpty()) {
                return false;
            }
            switch (loss.get()) {
                case ANSWER_RESET, ANSWER_WITHHELD -> {
                    answerLoss = loss.get();
                    return false;
                }
                case NOT_COMMITTED -> {
                    lostCommits.incrementAndGet();
                    connection.resetClient();
                }
                case COMMITTED_LATE -> commitLate(commit, client, server);
            }
            return true;
        }

        private void commitLate(PostgreSqlMessage commit, DataInputStream client, OutputStream server)
                throws IOException {
            List<PostgreSqlMessage> request = new ArrayList<>(List.of(commit));
            while (!commit.isSimpleQuery() && !request.get(request.size() - 1).isSync()) {
                request.add(PostgreSqlMessage.read(client).orElseThrow(EOFException::new));
            }
            HeldCommit held = new HeldCommit();
            heldCommit = held;
            discarding = true;
            heldCommits.add(held);
            lostCommits.incrementAndGet();
            connection.resetClient();
            if (held.released.join()) {
                for (PostgreSqlMessage message : request) {
                    message.writeTo(server);
                }
                server.flush();
                held.committed.handle((answered, failure) -> true).join();
            }
        }

        @Override
        public void forwardResponses() throws IOException {
            DataInputStream server = new DataInputStream(
                    new BufferedInputStream(connection.server().getInputStream()));
            OutputStream client = new BufferedOutputStream(connection.client().getOutputStream());
            try {
                Optional<PostgreSqlMessage> next = PostgreSqlMessage.read(server);
                while (next.isPresent() && forwardResponse(next.get(), client)) {
                    if (server.available() == 0 && !discarding) {
                        client.flush();
                    }
                    next = PostgreSqlMessage.read(server);
                }
            } finally {
                HeldCommit held = heldCommit;
                if (held != null) {
                    held.committed.completeExceptionally(new EOFException("the server did not commit"));
                    held.released.complete(false);
                }
            }
        }

        /** Returns whether the connection goes on. */
        private boolean forwardResponse(PostgreSqlMessage message, OutputStream client) throws IOException {
            if (message.answersCommit()) {
                HeldCommit held = heldCommit;
                CommitLoss loss = answerLoss;
                answerLoss = null;
                if (held != null) {
                    held.committed.complete(true);
                    return false;
                }
                if (loss != null) {
                    lostCommits.incrementAndGet();
                    discarding = true;
                }
                if (loss == CommitLoss.ANSWER_RESET) {
                    connection.resetClient();
                    return false;
                }
            }
            if (message.endsTransaction()) {
                matching = null;
                answerLoss = null;
            }
            if (!discarding) {
                message.writeTo(client);
            }
            return true;
        }
    }

    /** Closes all connections. The server rolls back transactions that were to be committed late. */
    @Override
    public void close() {
        proxy.close();
    }
}
