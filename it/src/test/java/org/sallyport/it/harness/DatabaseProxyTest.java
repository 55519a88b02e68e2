package org.sallyport.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sallyport.it.harness.DatabaseProxy.CommitLoss;

/** The proxy between a client and a server that only record the messages of the protocol. */
@Timeout(60)
class DatabaseProxyTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String END = "end of the connection";

    private final RecordingDatabase server = new RecordingDatabase();
    private final DatabaseProxy proxy = new DatabaseProxy(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @Test
    void withoutALossEachCommitIsAnswered() throws IOException {
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isTrue();
        }
        assertReceived("insert 1", "COMMIT", END);
        assertThat(proxy.lostCommits()).isZero();
    }

    @Test
    void answerOfACommitIsReplacedByAReset() throws IOException {
        proxy.loseCommits("marked", 1, CommitLoss.ANSWER_RESET);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert marked")).isTrue();
            assertThat(client.isAnswered("update 2")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isFalse();
        }
        assertReceived("insert marked", "update 2", "COMMIT", END);
        assertThat(proxy.lostCommits()).isEqualTo(1);
    }

    @Test
    void onlyTheChosenCommitsOfMarkedTransactionsAreLost() throws IOException {
        proxy.loseCommits("marked", 2, CommitLoss.ANSWER_RESET);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            for (String statement : List.of("insert marked", "COMMIT", "insert 1", "COMMIT", "insert 2", "COMMIT")) {
                assertThat(client.isAnswered(statement)).as(statement).isTrue();
            }
            assertThat(client.isAnswered("insert marked")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isFalse();
        }
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert marked")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isTrue();
        }
        assertThat(proxy.lostCommits()).isEqualTo(1);
    }

    @Test
    void idOfAnExecutionIsFoundInItsBinaryForm() throws IOException {
        UUID id = UUID.randomUUID();
        proxy.loseCommits(id.toString(), 1, CommitLoss.ANSWER_RESET);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1", id)).isTrue();
            assertThat(client.isAnswered("COMMIT")).isFalse();
        }
    }

    @Test
    void commitThatIsNotCommittedNeverReachesTheServer() throws IOException {
        proxy.loseCommits("", 1, CommitLoss.NOT_COMMITTED);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isFalse();
        }
        assertReceived("insert 1", END);
        assertThat(proxy.lostCommits()).isEqualTo(1);
    }

    @Test
    void withheldAnswerLeavesTheConnectionOpen() throws IOException {
        proxy.loseCommits("", 1, CommitLoss.ANSWER_WITHHELD);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1")).isTrue();
            client.send("COMMIT");
            Await.until("the answer is withheld", TIMEOUT, () -> proxy.lostCommits() == 1);
            client.send("select 1");
            assertReceived("insert 1", "COMMIT", "select 1");
            assertThat(client.hasAnswer()).isFalse();
        }
        assertReceived(END);
    }

    @Test
    void heldCommitReachesTheServerWhenItIsReleased() throws IOException {
        proxy.loseCommits("", 1, CommitLoss.COMMITTED_LATE);
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isFalse();
        }
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 2")).isTrue();
        }
        assertReceived("insert 1", "insert 2", END);
        assertThat(proxy.heldCommits()).isEqualTo(1);

        proxy.commitHeld();

        assertReceived("COMMIT", END);
        assertThat(proxy.heldCommits()).isZero();
    }

    @Test
    void lossesFollowOneAnother() throws IOException {
        proxy.loseCommits("", 1, CommitLoss.NOT_COMMITTED, CommitLoss.ANSWER_RESET);
        for (int i = 0; i < 2; i++) {
            try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
                assertThat(client.isAnswered("insert " + i)).isTrue();
                assertThat(client.isAnswered("COMMIT")).isFalse();
            }
        }
        assertReceived("insert 0", END, "insert 1", "COMMIT", END);
        assertThat(proxy.lostCommits()).isEqualTo(2);
    }

    @Test
    void afterTheLossesAreCancelledCommitsAreAnswered() throws IOException {
        proxy.loseCommits("", 1, CommitLoss.NOT_COMMITTED);
        proxy.loseNoCommits();
        try (RawDatabaseClient client = new RawDatabaseClient(proxy.port())) {
            assertThat(client.isAnswered("insert 1")).isTrue();
            assertThat(client.isAnswered("COMMIT")).isTrue();
        }
        assertThat(proxy.lostCommits()).isZero();
    }

    private void assertReceived(String... statements) {
        for (String expected : statements) {
            assertThat(server.nextStatement()).isEqualTo(expected);
        }
    }

    /** Answers the requests of a client. */
    private static final class RecordingDatabase implements AutoCloseable {
        private final ServerSocket socket;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final BlockingQueue<String> statements = new LinkedBlockingQueue<>();

        RecordingDatabase() {
            try {
                socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            threads.execute(this::acceptConnections);
        }

        int port() {
            return socket.getLocalPort();
        }

        /** The next statement of any client, or {@link #END}. */
        String nextStatement() {
            try {
                String next = statements.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                return next == null ? "nothing" : next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }

        private void acceptConnections() {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    threads.execute(() -> serve(client));
                } catch (IOException e) {
                    // The test has ended.
                }
            }
        }

        private void serve(Socket client) {
            try (client) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = client.getOutputStream();
                in.skipNBytes(in.readInt() - Integer.BYTES);
                out.write(PostgreSqlMessageTest.bytes('Z', "I"));
                String statement = "";
                Optional<PostgreSqlMessage> next = PostgreSqlMessage.read(in);
                while (next.isPresent()) {
                    statement = next.get().statement().orElse(statement);
                    if (next.get().isSync()) {
                        boolean commits = statement.equals("COMMIT");
                        statements.add(statement);
                        out.write(PostgreSqlMessageTest.bytes('C', commits ? "COMMIT\0" : "INSERT 0 1\0"));
                        out.write(PostgreSqlMessageTest.bytes('Z', commits ? "I" : "T"));
                    }
                    next = PostgreSqlMessage.read(in);
                }
            } catch (IOException e) {
                // The proxy has closed the connection.
            } finally {
                statements.add(END);
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                threads.shutdownNow();
            }
        }
    }

    /** Sends statements as the driver does, and reads the answers. */
    private static final class RawDatabaseClient implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;

        /** Asks for encryption first, as the driver does. */
        RawDatabaseClient(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
            out.write(ByteBuffer.allocate(8).putInt(8).putInt(80_877_103).array());
            assertThat(in.read()).isEqualTo('N');
            byte[] user = "user\0test\0\0".getBytes(StandardCharsets.UTF_8);
            out.write(ByteBuffer.allocate(8 + user.length)
                    .putInt(8 + user.length)
                    .putInt(196_608)
                    .put(user)
                    .array());
            assertThat(readAnswer()).isTrue();
        }

        void send(String statement) throws IOException {
            byte[] parse = PostgreSqlMessageTest.bytes('P', "\0" + statement + "\0\0\0");
            byte[] sync = PostgreSqlMessageTest.bytes('S', "");
            // In one write: the proxy may end the connection when it has read the statement.
            out.write(ByteBuffer.allocate(parse.length + sync.length)
                    .put(parse)
                    .put(sync)
                    .array());
        }

        boolean isAnswered(String statement) throws IOException {
            send(statement);
            return readAnswer();
        }

        /** Like {@link #isAnswered(String)}, with an id as binary parameter. */
        boolean isAnswered(String statement, UUID parameter) throws IOException {
            out.write(PostgreSqlMessageTest.bytes('P', "\0" + statement + "\0\0\0"));
            out.write(ByteBuffer.allocate(5 + 16)
                    .put((byte) 'B')
                    .putInt(4 + 16)
                    .putLong(parameter.getMostSignificantBits())
                    .putLong(parameter.getLeastSignificantBits())
                    .array());
            out.write(PostgreSqlMessageTest.bytes('S', ""));
            return readAnswer();
        }

        boolean hasAnswer() throws IOException {
            return in.available() > 0;
        }

        /** Reads until the server is ready. Returns false if the connection ends before. */
        private boolean readAnswer() {
            try {
                int type = in.read();
                while (type >= 0) {
                    in.skipNBytes(in.readInt() - Integer.BYTES);
                    if (type == 'Z') {
                        return true;
                    }
                    type = in.read();
                }
                return false;
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
