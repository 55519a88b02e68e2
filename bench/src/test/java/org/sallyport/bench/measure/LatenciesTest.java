package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    private static final Offset<Double> THREE_DIGITS = within(0.1);

    @Test
    void percentilesAreInMillisecondsToThreeDigits() {
        Latencies latencies = new Latencies();
        for (int millis = 1; millis <= 100; millis++) {
            latencies.record(Duration.ofMillis(millis));
        }

        assertThat(latencies.count()).isEqualTo(100);
        assertThat(latencies.p50()).isCloseTo(50, THREE_DIGITS);
        assertThat(latencies.p99()).isCloseTo(99, THREE_DIGITS);
        assertThat(latencies.max()).isCloseTo(100, THREE_DIGITS);
        assertThat(latencies.mean()).isCloseTo(50.5, THREE_DIGITS);
    }

    @Test
    void whatClocksMakeNegativeCountsAsNothing() {
        Latencies latencies = new Latencies();
        latencies.record(-5_000);

        assertThat(latencies.count()).isOne();
        assertThat(latencies.max()).isZero();
    }

    @Test
    void whatTakesForeverIsCountedAtTheEndOfTheScale() {
        Latencies latencies = new Latencies();
        latencies.record(Duration.ofDays(2));

        assertThat(latencies.max()).isCloseTo(Duration.ofMinutes(10).toMillis(), within(1_000.0));
    }

    @Test
    void twoRunsAddUp() {
        Latencies one = new Latencies();
        one.record(Duration.ofMillis(1));
        Latencies two = new Latencies();
        two.record(Duration.ofMillis(3));
        Measured both = new Measured(one, Duration.ofMillis(500)).and(new Measured(two, Duration.ofMillis(1_500)));

        assertThat(both.count()).isEqualTo(2);
        assertThat(both.perSecond()).isEqualTo(1);
        assertThat(both.millisEach()).isEqualTo(1_000);
        assertThat(both.latencies().max()).isCloseTo(3, THREE_DIGITS);
    }
}
