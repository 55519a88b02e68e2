package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {
    @TempDir
    Path directory;

    @Test
    void theTailHoldsTheLastLinesAfterAnOffset() throws IOException {
        Path file = directory.resolve("server.log");
        Files.writeString(file, "one\ntwo\nthree\nfour\n");
        ServerLog log = new ServerLog(file);

        assertThat(log.tail(2, 0)).containsExactly("three", "four");
        assertThat(log.tail(9, 8)).containsExactly("three", "four");
        assertThat(new ServerLog(directory.resolve("none")).tail(5, 0)).isEmpty();
    }

    @Test
    void followingReturnsAddedTextInWholeCharacters() throws IOException {
        Path file = directory.resolve("server.log");
        Files.writeString(file, "before\n");
        byte[] added = "grün 👍\n".getBytes(StandardCharsets.UTF_8);
        Deque<byte[]> pieces = new ArrayDeque<>(List.of(
                Arrays.copyOfRange(added, 0, 3),
                Arrays.copyOfRange(added, 3, 8),
                Arrays.copyOfRange(added, 8, added.length)));
        StringBuilder text = new StringBuilder();

        new ServerLog(file).follow(7, text::append, () -> append(file, pieces));

        assertThat(text).hasToString("grün 👍\n");
    }

    @Test
    void restartedLogIsFollowedFromItsBeginning() throws IOException {
        Path file = directory.resolve("server.log");
        Files.writeString(file, "long ago\n");
        StringBuilder text = new StringBuilder();

        new ServerLog(file).follow(100, text::append, () -> false);

        assertThat(text).hasToString("long ago\n");
    }

    private static boolean append(Path file, Deque<byte[]> pieces) {
        byte[] piece = pieces.poll();
        if (piece == null) {
            return false;
        }
        try {
            Files.write(file, piece, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }
}
