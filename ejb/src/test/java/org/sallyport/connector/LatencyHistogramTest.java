package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private final ManualScheduler time = new ManualScheduler();
    private final LatencyHistogram latencies = new LatencyHistogram(time);

    private void recordMicros(long micros) {
        latencies.recordDuration(Duration.ofNanos(micros * 1_000));
    }

    @Test
    void emptyHistogramHasZeroPercentiles() {
        assertThat(latencies.percentiles()).isEqualTo(new LatencyHistogram.LatencyPercentiles(0, 0, 0, 0));
    }

    @Test
    void p99OfAHundredCallsIgnoresTheSlowest() {
        for (int i = 0; i < 99; i++) {
            recordMicros(2_000);
        }
        recordMicros(5_000_000);
        LatencyHistogram.LatencyPercentiles now = latencies.percentiles();
        assertThat(now.count()).isEqualTo(100);
        assertThat(now.p50Millis()).isCloseTo(2, Percentage.withPercentage(3.2));
        assertThat(now.p99Millis()).isCloseTo(2, Percentage.withPercentage(3.2));
        recordMicros(5_000_000);
        assertThat(latencies.percentiles().p99Millis()).isCloseTo(5_000, Percentage.withPercentage(3.2));
    }

    @Test
    void percentilesAreAccurateWithinThreePercent() {
        Random random = new Random(7);
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            long micros = (long) Math.exp(random.nextDouble() * 20);
            all.add(micros);
            recordMicros(micros);
        }
        Collections.sort(all);
        LatencyHistogram.LatencyPercentiles now = latencies.percentiles();
        assertThat(now.p50Millis()).isCloseTo(all.get(9_999) / 1e3, Percentage.withPercentage(3.2));
        assertThat(now.p95Millis()).isCloseTo(all.get(18_999) / 1e3, Percentage.withPercentage(3.2));
        assertThat(now.p99Millis()).isCloseTo(all.get(19_799) / 1e3, Percentage.withPercentage(3.2));
    }

    @Test
    void shortDurationsAreExactAndInvalidOnesAreClamped() {
        for (long micros : new long[] {0, 1, 31, 32, 63}) {
            LatencyHistogram one = new LatencyHistogram(time);
            one.recordDuration(Duration.ofNanos(micros * 1_000));
            assertThat(one.percentiles().p50Millis()).isCloseTo(micros / 1e3, within(1e-9));
        }
        LatencyHistogram odd = new LatencyHistogram(time);
        odd.recordDuration(Duration.ofSeconds(-5));
        assertThat(odd.percentiles().p99Millis()).isZero();
        odd.recordDuration(Duration.ofDays(400));
        assertThat(odd.percentiles().p99Millis()).isCloseTo(4_294_967, Percentage.withPercentage(0.1));
    }

    @Test
    void oldMeasurementsExpireInTwoSteps() {
        recordMicros(1_000);
        time.advance(Duration.ofMinutes(5).toMillis());
        recordMicros(8_000);
        assertThat(latencies.percentiles().count()).isEqualTo(2);
        time.advance(Duration.ofMinutes(5).toMillis());
        assertThat(latencies.percentiles().count()).isEqualTo(1);
        assertThat(latencies.percentiles().p50Millis()).isGreaterThan(7);
        time.advance(Duration.ofMinutes(10).toMillis());
        assertThat(latencies.percentiles().count()).isZero();
        recordMicros(1_000);
        time.advance(Duration.ofMinutes(60).toMillis());
        assertThat(latencies.percentiles().count()).isZero();
    }
}
