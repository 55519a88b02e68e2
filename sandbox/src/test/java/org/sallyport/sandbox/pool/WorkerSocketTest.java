package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.isolation.Isolation;

/** Tests peers that connect to the socket of the workers and present no token. */
@Timeout(60)
class WorkerSocketTest {
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
    private final CountDownLatch testEnd = new CountDownLatch(1);
    private final List<SocketChannel> connections = new CopyOnWriteArrayList<>();
    private Path directory;
    private WorkerSocket socket;

    @BeforeEach
    void open() throws IOException {
        directory = RunDirectories.createRunDirectory();
        timers.setRemoveOnCancelPolicy(true);
        // Occupies the only thread of the timers, so the socket closes no connection because of its age.
        var unused = timers.submit(() -> {
            testEnd.await();
            return true;
        });
        socket = new WorkerSocket(directory.resolve("sock"), timers, 2);
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel each : connections) {
            each.close();
        }
        socket.close();
        testEnd.countDown();
        timers.shutdownNow();
        RunDirectories.deleteRecursively(directory);
    }

    private SocketChannel connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        connections.add(channel);
        return channel;
    }

    private static void awaitClosed(SocketChannel channel) throws IOException {
        try {
            assertThat(channel.read(ByteBuffer.allocate(1))).isNegative();
        } catch (ClosedByInterruptException timeout) {
            throw timeout;
        } catch (IOException reset) {
            // The server has closed the connection and left bytes unread.
        }
    }

    @Test
    void longFirstFrameIsRefusedBeforeItArrives() throws Exception {
        SocketChannel peer = connect(socket.path());
        peer.write(ByteBuffer.allocate(4).putInt(1_025).flip());
        awaitClosed(peer);
    }

    @Test
    void connectionBeyondTheLimitClosesTheOldestWithoutToken() throws Exception {
        SocketChannel oldest = connect(socket.path());
        SocketChannel older = connect(socket.path());
        SocketChannel newest = connect(socket.path());
        awaitClosed(oldest);
        for (SocketChannel open : List.of(older, newest)) {
            open.configureBlocking(false);
            assertThat(open.read(ByteBuffer.allocate(1))).isZero();
        }
    }

    @Test
    void closedConnectionsDoNotCount() throws Exception {
        SocketChannel first = connect(socket.path());
        for (int i = 0; i < 5; i++) {
            SocketChannel next = connect(socket.path());
            next.write(ByteBuffer.allocate(4).putInt(0).flip());
            awaitClosed(next);
        }
        first.configureBlocking(false);
        assertThat(first.read(ByteBuffer.allocate(1))).isZero();
    }

    /** Each would otherwise use memory until its time limit. */
    @Test
    void closedConnectionsLeaveNoTimers() throws Exception {
        for (int i = 0; i < 100; i++) {
            connect(socket.path()).close();
        }
        SocketChannel last = connect(socket.path());
        last.write(ByteBuffer.allocate(4).putInt(0).flip());
        awaitClosed(last);
        while (!timers.getQueue().isEmpty()) {
            Thread.sleep(1);
        }
    }

    @Test
    void workerConnectsAfterManySilentConnections() throws Exception {
        WorkerSettings settings = new WorkerSettings(
                Path.of("target"),
                Optional.empty(),
                64,
                1,
                0,
                1,
                10,
                1_000,
                Duration.ofMinutes(1),
                WorkerSharing.TENANT,
                Duration.ofMillis(100),
                0,
                Optional.empty(),
                false);
        WorkerSandbox.WorkerRuntimeFactory runtime = (run, path) -> {
            WorkerStarter starter = token -> {
                for (int i = 0; i < 50; i++) {
                    connect(path);
                }
                FakeWorkerProcess peer = new FakeWorkerProcess(path, token, FakeWorkerProcess::healthy);
                return new StartedWorkerProcess(peer, Files.createTempDirectory(run, "w"));
            };
            return new WorkerSandbox.WorkerRuntime(starter, Isolation.none());
        };
        try (WorkerSandbox sandbox = new WorkerSandbox(settings, runtime)) {
            RecordingListener listener =
                    RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
            assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
        }
    }
}
