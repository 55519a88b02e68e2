package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
    private static final Offset<Double> THREE_DIGITS = within(0.1);

    @Test
    void percentilesAreInMillisecondsToThreeDigits() {
        LatencyRecorder latencies = new LatencyRecorder();
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
    void negativeLatencyCountsAsZero() {
        LatencyRecorder latencies = new LatencyRecorder();
        latencies.record(-5_000);

        assertThat(latencies.count()).isOne();
        assertThat(latencies.max()).isZero();
    }

    @Test
    void excessiveLatencyIsRecordedAsTheMaximum() {
        LatencyRecorder latencies = new LatencyRecorder();
        latencies.record(Duration.ofDays(2));

        assertThat(latencies.max()).isCloseTo(Duration.ofMinutes(10).toMillis(), within(1_000.0));
    }

    @Test
    void resultsOfTwoRunsAreAdded() {
        LatencyRecorder one = new LatencyRecorder();
        one.record(Duration.ofMillis(1));
        LatencyRecorder two = new LatencyRecorder();
        two.record(Duration.ofMillis(3));
        LoopResult both =
                new LoopResult(one, Duration.ofMillis(500)).plus(new LoopResult(two, Duration.ofMillis(1_500)));

        assertThat(both.count()).isEqualTo(2);
        assertThat(both.perSecond()).isEqualTo(1);
        assertThat(both.millisPerOperation()).isEqualTo(1_000);
        assertThat(both.latencies().max()).isCloseTo(3, THREE_DIGITS);
    }
}
