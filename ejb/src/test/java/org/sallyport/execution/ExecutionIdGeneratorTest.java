package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutionIdGeneratorTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private final ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.fixed(NOON), new Random(7));

    @Test
    void idIsAVersion7UuidWithItsMillisecond() {
        ExecutionId id = ids.next();
        assertThat(id.value().version()).isEqualTo(7);
        assertThat(id.value().variant()).isEqualTo(2);
        assertThat(id.value().getMostSignificantBits() >>> 16).isEqualTo(NOON.toEpochMilli());
    }

    @Test
    void idsIncreaseWithinAMillisecondAndBeyondTheCounter() {
        List<ExecutionId> generated =
                IntStream.range(0, 10_000).mapToObj(i -> ids.next()).toList();
        List<ExecutionId> sorted = new ArrayList<>(generated);
        Collections.sort(sorted);
        assertThat(generated).isEqualTo(sorted).doesNotHaveDuplicates();
        assertThat(generated.stream().map(ExecutionId::toString).toList()).isSorted();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1-1-1-1-1",
                "0190163d-8694-739b-aea5-966c26f8ad9",
                "0190163d86947739bbaea5966c26f8ad90000",
                "x190163d-8694-739b-aea5-966c26f8ad90"
            })
    void nonCanonicalIdIsNotParsed(String text) {
        assertThat(ExecutionId.parse(text)).isEmpty();
    }

    @Test
    void idRoundTrips() {
        ExecutionId id = ids.next();
        assertThat(ExecutionId.parse(id.toString())).contains(id);
    }
}
