package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

class OutputMarkCodecTest {
    private static final Instant AT = Instant.parse("2026-10-25T01:30:00.123Z");

    private static String text(List<OutputChunk> pieces) {
        return pieces.stream().map(OutputChunk::text).collect(Collectors.joining());
    }

    @Test
    void piecesRoundTrip() {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            List<OutputChunk> pieces = new ArrayList<>();
            long start = random.nextInt(100_000);
            long offset = start;
            long sequence = start + random.nextInt(100_000);
            Instant at = AT;
            for (int i = 0; i <= random.nextInt(20); i++) {
                String text = "x".repeat(1 + random.nextInt(50));
                pieces.add(new OutputChunk(OutputKind.ERR, offset, text, sequence, at));
                offset += text.length();
                sequence += text.length() + random.nextInt(100);
                at = at.plusMillis(random.nextInt(100_000) - 10);
            }
            assertThat(OutputMarkCodec.decode(OutputKind.ERR, start, text(pieces), OutputMarkCodec.encode(pieces)))
                    .isEqualTo(pieces);
        }
    }

    @Test
    void marksAreSmall() {
        List<OutputChunk> pieces = new ArrayList<>();
        pieces.add(new OutputChunk(OutputKind.OUT, 0, "line\n", 0, AT));
        assertThat(OutputMarkCodec.encode(pieces)).hasSizeLessThanOrEqualTo(15);
        for (int i = 1; i < 1_000; i++) {
            pieces.add(new OutputChunk(OutputKind.OUT, i * 5L, "line\n", i * 10L, AT.plusMillis(i)));
        }
        assertThat(OutputMarkCodec.encode(pieces)).hasSizeLessThanOrEqualTo(6 * 1_000 + 15);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "3,0", "4,0,0", "2,0,0", "2,0,0;2,0,0", "x,,", "3,0,0;0"})
    void marksThatDoNotDescribeTheTextAreRefused(String marks) {
        assertThatThrownBy(() -> OutputMarkCodec.decode(OutputKind.OUT, 0, "abc", marks))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
