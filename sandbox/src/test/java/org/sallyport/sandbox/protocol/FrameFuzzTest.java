package org.sallyport.sandbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;

/**
 * Decodes randomly changed frames. Each must give a frame or the exception for invalid frames, and no other failure.
 */
class FrameFuzzTest {
    private static final int ROUNDS = Integer.getInteger("sallyport.test.frames", 4_000);
    private static final List<Frame> HEALTHY = List.of(
            new Frame.HelloFrame(Frame.VERSION, "0123456789abcdef"),
            new Frame.ToolCallFrame(7, 1, "demo", "echo", "{\"a\":[1,\"\\u2028\"]}"),
            new Frame.OutputFrame(7, OutputStreamKind.OUT, "\u0000\uD800 text \uD83D\uDE00"),
            new Frame.OutputTruncatedFrame(7, OutputStreamKind.ERR),
            new Frame.ProgressFrame(7, 500, "half"),
            new Frame.BlockedAccessFrame(
                    7, List.of(new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "fs", 3))),
            new Frame.SessionResultFrame(7, new SessionResult.ScriptReturned("{}")),
            new Frame.SessionResultFrame(7, new SessionResult.ScriptThrew("c", "m", 1, 2, "at x", "b.t", 3)),
            new Frame.SessionResultFrame(
                    7, new SessionResult.SessionLimitReached(SessionResult.SessionLimitType.CPU, "too long")),
            new Frame.SessionResultFrame(7, new SessionResult.SessionCancelled()),
            new Frame.PostponeFrame(7, 3),
            new Frame.ParkThresholdFrame(7, 1_000),
            new Frame.CheckResultFrame(
                    8,
                    new CheckedScript(
                            new ScriptCheckResult.ScriptAccepted(SourceLanguage.TYPESCRIPT, true),
                            new ScriptReferences(
                                    List.of(new ScriptReferences.ReferencePath(List.of("demo", "echo"), 1, 8)),
                                    List.of(new ScriptReferences.ModuleReference("fs", 2, 20))))),
            new Frame.CheckResultFrame(
                    8,
                    new CheckedScript(
                            new ScriptCheckResult.ScriptRejected("no", 1, 2, "frame"), ScriptReferences.NONE)),
            new Frame.HeartbeatFrame(List.of(1L, 2L, Long.MAX_VALUE), List.of(0L, 7L, 3L), 42, true));
    private static final String[] PIECES = {
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "true",
        "1e999",
        "-1",
        "99999999999999999999",
        "\\u0000",
        "\\ud800",
        "\"is\"",
        "\"session\":1",
        "\u0000",
        "\uFFFF",
        "/*",
        "NaN",
        "0x1",
        "\"computing\":[1,1]"
    };

    private static byte[] bytes(Frame frame) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameCodec.write(frame, bytes);
        return bytes.toByteArray();
    }

    private static byte[] mutated(byte[] healthy, Random random) throws IOException {
        ByteArrayOutputStream changed = new ByteArrayOutputStream();
        int cut = random.nextInt(healthy.length + 1);
        switch (random.nextInt(5)) {
            case 0 -> changed.write(healthy, 0, cut);
            case 1 -> {
                byte[] flipped = healthy.clone();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
                }
                changed.write(flipped);
            }
            case 2 -> {
                changed.write(healthy, 0, cut);
                changed.write(PIECES[random.nextInt(PIECES.length)].getBytes(java.nio.charset.StandardCharsets.UTF_8));
                changed.write(healthy, cut, healthy.length - cut);
            }
            case 3 -> {
                int other = random.nextInt(healthy.length + 1);
                changed.write(healthy, 0, Math.max(cut, other));
                changed.write(healthy, Math.min(cut, other), healthy.length - Math.min(cut, other));
            }
            default -> {
                byte[] noise = new byte[1 + random.nextInt(64)];
                random.nextBytes(noise);
                changed.write(noise);
            }
        }
        return changed.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void decodingGivesAFrameOrAProtocolException(long seed) throws IOException {
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = mutated(bytes(HEALTHY.get(random.nextInt(HEALTHY.size()))), random);
            try {
                assertThat(FrameCodec.read(bytes, bytes.length)).isNotNull();
            } catch (ProtocolException expected) {
                refused++;
            } catch (Throwable other) {
                fail(
                        "seed " + seed + ", round " + i + ": "
                                + new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1),
                        other);
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 4);
    }

    @Test
    void channelEndsNormallyOrWithAProtocolException() throws Exception {
        Path socket = Files.createTempDirectory("fuzz").resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            for (int seed = 0; seed < 300; seed++) {
                Random random = new Random(seed);
                CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(socket, random));
                try (FrameChannel channel = new FrameChannel(server.accept())) {
                    while (true) {
                        assertThat(channel.receive()).isNotNull();
                    }
                } catch (ProtocolException | EOFException expected) {
                    // Both exceptions are expected ends.
                }
                writer.join();
            }
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(socket.getParent());
        }
    }

    private static void write(Path socket, Random random) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            for (int i = 0; i < 20; i++) {
                byte[] frame = bytes(HEALTHY.get(random.nextInt(HEALTHY.size())));
                byte[] body = random.nextInt(4) == 0 ? mutated(frame, random) : frame;
                int length = random.nextInt(16) == 0 ? random.nextInt() : body.length;
                ByteBuffer bytes = ByteBuffer.allocate(4 + body.length);
                bytes.putInt(length).put(body).flip();
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        } catch (IOException sentAway) {
            // The reader has closed the connection.
        }
    }
}
