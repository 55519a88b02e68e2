package org.sallyport.sandbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.OutputStreamKind;

/** Tests frames over a real socket. */
class FrameChannelTest {
    /** An even number: two frames exceed the buffer of the channel, so the last frame is written, too. */
    private static final int FRAMES = 200;

    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private Path directory;
    private FrameChannel near;
    private FrameChannel far;

    @BeforeEach
    void connect() throws IOException {
        directory = Files.createTempDirectory("frames");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            near = new FrameChannel(SocketChannel.open(address), writer);
            far = new FrameChannel(server.accept());
        }
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        writer.shutdownNow();
        Files.delete(directory.resolve("s"));
        Files.delete(directory);
    }

    private static Frame frame(int number) {
        return new Frame.OutputFrame(number, OutputStreamKind.OUT, "x".repeat(50_000));
    }

    @Test
    void interruptedSenderDoesNotCloseTheChannelForOthers() throws Exception {
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread speaker = new Thread(() -> {
            try {
                for (int i = 0; i < FRAMES; i++) {
                    near.enqueue(frame(i));
                }
            } catch (IOException | RuntimeException broken) {
                failure.set(broken);
            }
        });
        speaker.start();
        for (int i = 0; i < FRAMES; i++) {
            speaker.interrupt();
            assertThat(far.receive()).isEqualTo(frame(i));
        }
        // Joined only now, because the thread cannot end while the socket is full and unread.
        speaker.join();
        assertThat(failure.get()).isNull();
    }

    @Test
    void longFrameIsWrittenWhileThePeerReads() throws Exception {
        Frame longest = new Frame.OutputFrame(1, OutputStreamKind.OUT, "x".repeat(20_000_000));
        Thread speaker = new Thread(() -> {
            try {
                near.send(longest);
            } catch (IOException broken) {
                near.close();
            }
        });
        speaker.start();
        assertThat(far.receive()).isEqualTo(longest);
        speaker.join();
        assertThat(near.writeBlockedSince()).isZero();
    }
}
