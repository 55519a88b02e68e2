package org.sallyport.sandbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.sandbox.OutputStreamKind;

/** Frames over a real socket, for each kind of {@link FrameChannel}. */
abstract class FrameChannelContract {
    /** An even number: two frames exceed the buffer of the channel, so the last frame is written, too. */
    private static final int FRAMES = 200;

    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private Path directory;
    FrameChannel near;
    FrameChannel far;

    /** Creates the near channel. */
    abstract FrameChannel create(SocketChannel channel, Executor writer) throws IOException;

    @BeforeEach
    void connect() throws IOException {
        directory = Files.createTempDirectory("frames");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            near = create(SocketChannel.open(address), writer);
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

    /** Starts the thread that writes the offered frames of the near channel. */
    Thread startWriter() {
        Thread thread = new Thread(() -> {
            try {
                near.writeOffered();
            } catch (IOException broken) {
                near.close();
            }
        });
        thread.start();
        return thread;
    }

    static Frame frame(int number) {
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

    @Test
    void shortFrameAndLaterLongOnesAreRead() throws Exception {
        Frame first = new Frame.HelloFrame(Frame.VERSION, "token");
        near.send(first);
        near.send(frame(1));
        near.send(frame(2));
        assertThat(far.receive(1_024)).isEqualTo(first);
        assertThat(far.receive()).isEqualTo(frame(1));
        assertThat(far.receive()).isEqualTo(frame(2));
    }

    @Test
    void frameLongerThanTheReaderAllowsIsRefused() throws Exception {
        near.send(frame(1));
        assertThatThrownBy(() -> far.receive(1_024)).isInstanceOf(ProtocolException.class);
    }

    @Test
    @Timeout(120)
    void offerNeverBlocks() throws Exception {
        startWriter();
        // More than the socket holds, so the writer waits for the peer.
        for (int i = 0; i < FRAMES; i++) {
            near.offer(frame(i));
        }
        while (near.writeBlockedSince() == 0) {
            Thread.sleep(1);
        }
        for (int i = 0; i < FRAMES; i++) {
            assertThat(far.receive()).isEqualTo(frame(i));
        }
    }

    @Test
    @Timeout(120)
    void orderStays() throws Exception {
        startWriter();
        int senders = 4;
        List<Thread> threads = new ArrayList<>();
        for (int sender = 0; sender < senders; sender++) {
            int session = sender;
            threads.add(new Thread(() -> {
                try {
                    for (int call = 1; call <= FRAMES; call++) {
                        near.offer(numberedFrame(session, call));
                    }
                } catch (IOException broken) {
                    near.close();
                }
            }));
        }
        threads.forEach(Thread::start);
        int[] received = new int[senders];
        for (int i = 0; i < senders * FRAMES; i++) {
            assertThat(far.receive()).isInstanceOfSatisfying(Frame.ResolveFrame.class, frame -> {
                int session = (int) frame.session();
                assertThat(frame).isEqualTo(numberedFrame(session, ++received[session]));
            });
        }
        assertThat(received).containsOnly(FRAMES);
        for (Thread each : threads) {
            each.join();
        }
    }

    /** Returns a frame whose length depends on its number. */
    private static Frame numberedFrame(int session, int call) {
        return new Frame.ResolveFrame(session, call, "x".repeat(call * 997 % 9_000));
    }

    @Test
    @Timeout(120)
    void longFrameIsOfferedAsAWhole() throws Exception {
        startWriter();
        Frame longest = new Frame.OutputFrame(1, OutputStreamKind.OUT, "x".repeat(20_000_000));
        near.offer(longest);
        near.offer(frame(2));
        assertThat(far.receive()).isEqualTo(longest);
        assertThat(far.receive()).isEqualTo(frame(2));
    }

    @Test
    @Timeout(120)
    void peerThatNeverReadsIsReportedBeforeItsFramesFillTheMemory() {
        startWriter();
        Frame megabyte = new Frame.OutputFrame(1, OutputStreamKind.OUT, "x".repeat(1 << 20));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 40; i++) {
                        near.offer(megabyte);
                    }
                })
                .isInstanceOf(PeerNotReadingException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, true",
        "16777215, 2000, true",
        "16777216, 499, true",
        "16777216, 500, false",
        "33554431, 499, true",
        "33554432, 0, false"
    })
    void peerThatReadsMayLeaveMoreUnread(long unwrittenBytes, long blockedMillis, boolean capacity) {
        assertThat(FrameChannel.hasCapacity(unwrittenBytes, TimeUnit.MILLISECONDS.toNanos(blockedMillis)))
                .isEqualTo(capacity);
    }

    @Test
    void tooLongFrameLeavesTheChannelUsable() throws Exception {
        startWriter();
        Frame tooLong = new Frame.OutputFrame(1, OutputStreamKind.OUT, "x".repeat(FrameCodec.MAX_FRAME_BYTES));
        near.offer(frame(1));
        assertThatThrownBy(() -> near.offer(tooLong)).isInstanceOf(FrameTooLargeException.class);
        near.offer(frame(2));
        assertThat(far.receive()).isEqualTo(frame(1));
        assertThat(far.receive()).isEqualTo(frame(2));
    }

    @Test
    void failedWriteEndsTheWriterAndLaterFramesAreDropped() throws Exception {
        far.close();
        assertThatThrownBy(() -> {
                    near.offer(frame(1));
                    near.writeOffered();
                })
                .isInstanceOf(IOException.class);
        near.offer(frame(2));
        assertThatThrownBy(() -> near.send(frame(3))).isInstanceOf(IOException.class);
    }

    @Test
    @Timeout(120)
    void closeEndsAWriterThatWaitsForThePeer() throws Exception {
        Thread thread = startWriter();
        for (int i = 0; i < FRAMES; i++) {
            near.offer(frame(i));
        }
        near.close();
        thread.join();
        near.offer(frame(FRAMES));
    }

    @Test
    @Timeout(120)
    void closeEndsAReaderThatWaits() throws Exception {
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                near.receive();
            } catch (IOException closed) {
                failure.set(closed);
            }
        });
        reader.start();
        near.close();
        reader.join();
        assertThat(failure.get()).isInstanceOf(IOException.class);
    }

    @Test
    @Timeout(120)
    void closeIsSeenByThePeer() throws Exception {
        near.send(frame(1));
        near.close();
        assertThat(far.receive()).isEqualTo(frame(1));
        assertThatThrownBy(far::receive).isInstanceOf(EOFException.class);
    }
}
