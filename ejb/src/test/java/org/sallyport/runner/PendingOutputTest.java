package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

class PendingOutputTest {
    private static final Instant START = Instant.parse("2026-10-25T01:30:00Z");

    private static Instant after(long millis) {
        return START.plusMillis(millis);
    }

    /** Writes random text; returns what a reader must see, each character behind its stream. */
    private static String write(Random random, PendingOutput output, List<OutputChunk> taken) {
        StringBuilder written = new StringBuilder();
        long millis = 0;
        for (int i = random.nextInt(300); i > 0; i--) {
            OutputKind kind = OutputKind.values()[random.nextInt(2)];
            String text = "abcdefgh\n".substring(random.nextInt(9));
            millis += random.nextInt(4) == 0 ? random.nextInt(40) - 5 : 0;
            output.add(kind, text, after(millis));
            text.chars().forEach(c -> written.append(mark(kind)).append((char) c));
            if (random.nextInt(20) == 0) {
                taken.addAll(output.takePieces());
            }
        }
        taken.addAll(output.takePieces());
        return written.toString();
    }

    private static char mark(OutputKind kind) {
        return kind == OutputKind.OUT ? 'o' : 'e';
    }

    private static String byCharacter(List<OutputChunk> pieces) {
        StringBuilder text = new StringBuilder();
        for (OutputChunk piece : pieces) {
            piece.text().chars().forEach(c -> text.append(mark(piece.kind())).append((char) c));
        }
        return text.toString();
    }

    private static void assertOrdered(List<OutputChunk> pieces, long outLength, long errLength) {
        Map<OutputKind, Long> ends = new EnumMap<>(Map.of(OutputKind.OUT, outLength, OutputKind.ERR, errLength));
        long sequence = outLength + errLength;
        Instant last = Instant.MIN;
        for (OutputChunk piece : pieces) {
            assertThat(piece.text()).isNotEmpty();
            assertThat(piece.sequence()).isEqualTo(sequence);
            assertThat(piece.offset()).isEqualTo(ends.put(piece.kind(), piece.end()));
            assertThat(piece.at()).isAfterOrEqualTo(last);
            sequence += piece.text().length();
            last = piece.at();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyInterleavingIsKeptInOrder(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            List<OutputChunk> taken = new ArrayList<>();
            String written = write(random, new PendingOutput(0, 0), taken);
            assertThat(byCharacter(taken)).isEqualTo(written);
            assertOrdered(taken, 0, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void repeatedOutputIsSkippedAndTheOrderGoesOn(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            long script = random.nextLong();
            List<OutputChunk> all = new ArrayList<>();
            String written = write(new Random(script), new PendingOutput(0, 0), all);
            int stored = all.isEmpty() ? 0 : random.nextInt(all.size());
            long out = all.subList(0, stored).stream()
                    .filter(piece -> piece.kind() == OutputKind.OUT)
                    .mapToLong(piece -> piece.text().length())
                    .sum();
            long err = all.subList(0, stored).stream()
                            .mapToLong(piece -> piece.text().length())
                            .sum()
                    - out;
            List<OutputChunk> added = new ArrayList<>();
            write(new Random(script), new PendingOutput(out, err), added);
            assertOrdered(added, out, err);
            assertThat(byCharacter(all.subList(0, stored)) + byCharacter(added)).isEqualTo(written);
        }
    }

    @Test
    void textOfOneStreamIsOnePieceForTenMilliseconds() {
        PendingOutput output = new PendingOutput(0, 0);
        output.add(OutputKind.OUT, "a", after(0));
        output.add(OutputKind.OUT, "b", after(9));
        output.add(OutputKind.OUT, "c", after(10));
        assertThat(output.takePieces())
                .containsExactly(
                        new OutputChunk(OutputKind.OUT, 0, "ab", 0, after(0)),
                        new OutputChunk(OutputKind.OUT, 2, "c", 2, after(10)));
        assertThat(output.isEmpty()).isTrue();
        assertThat(output.takePieces()).isEmpty();
    }

    @Test
    void longRunKeepsTheOrderOfFewLines() {
        PendingOutput output = new PendingOutput(0, 0);
        for (int i = 0; i < 2 * PendingOutput.MAX_PIECES_PER_RUN; i++) {
            output.add(OutputKind.OUT, "o", after(i * 100L));
            output.add(OutputKind.ERR, "e", after(i * 100L + 20));
            output.add(OutputKind.OUT, "o", after(i * 100L + 40));
            assertThat(output.takePieces())
                    .extracting(OutputChunk::kind)
                    .containsExactly(OutputKind.OUT, OutputKind.ERR, OutputKind.OUT);
        }
    }

    @Test
    void scriptThatAlternatesStreamsMakesFewPieces() {
        PendingOutput output = new PendingOutput(0, 0);
        int writes = 0;
        StringBuilder[] texts = {new StringBuilder(), new StringBuilder()};
        List<OutputChunk> taken = new ArrayList<>();
        for (int i = 0; i < 1_000_000; i++) {
            output.add(OutputKind.values()[i % 2], i % 3 == 0 ? "x" : "y", after(i / 1_000));
            if (i % 20_000 == 19_999) {
                List<OutputChunk> write = output.takePieces();
                assertThat(write).hasSizeLessThanOrEqualTo(PendingOutput.MAX_PIECES_PER_WRITE + 2);
                taken.addAll(write);
                writes++;
            }
        }
        taken.addAll(output.takePieces());
        int perWrite = PendingOutput.UNCOUNTED_PIECES_PER_WRITE + 2;
        assertThat(taken).hasSizeLessThanOrEqualTo(PendingOutput.MAX_PIECES_PER_RUN + perWrite * writes);
        assertOrdered(taken, 0, 0);
        for (int i = 0; i < 1_000_000; i++) {
            texts[i % 2].append(i % 3 == 0 ? 'x' : 'y');
        }
        StringBuilder[] kept = {new StringBuilder(), new StringBuilder()};
        taken.forEach(piece -> kept[piece.kind().ordinal()].append(piece.text()));
        assertThat(kept[0]).hasToString(texts[0].toString());
        assertThat(kept[1]).hasToString(texts[1].toString());
    }
}
