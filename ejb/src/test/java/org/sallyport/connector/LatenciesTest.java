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

class LatenciesTest {
    private final HandScheduler time = new HandScheduler();
    private final Latencies latencies = new Latencies(time);

    private void took(long micros) {
        latencies.took(Duration.ofNanos(micros * 1_000));
    }

    @Test
    void nothingHasTakenNoTime() {
        assertThat(latencies.percentiles()).isEqualTo(new Latencies.Percentiles(0, 0, 0, 0));
    }

    @Test
    void ofAHundredCallsTheNinetyNinthAndNotTheWorst() {
        for (int i = 0; i < 99; i++) {
            took(2_000);
        }
        took(5_000_000);
        Latencies.Percentiles now = latencies.percentiles();
        assertThat(now.count()).isEqualTo(100);
        assertThat(now.p50Millis()).isCloseTo(2, Percentage.withPercentage(3.2));
        assertThat(now.p99Millis()).isCloseTo(2, Percentage.withPercentage(3.2));
        took(5_000_000);
        assertThat(latencies.percentiles().p99Millis()).isCloseTo(5_000, Percentage.withPercentage(3.2));
    }

    @Test
    void theyAreThoseOfTheSortedTimesWithinThreePercent() {
        Random random = new Random(7);
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            long micros = (long) Math.exp(random.nextDouble() * 20);
            all.add(micros);
            took(micros);
        }
        Collections.sort(all);
        Latencies.Percentiles now = latencies.percentiles();
        assertThat(now.p50Millis()).isCloseTo(all.get(9_999) / 1e3, Percentage.withPercentage(3.2));
        assertThat(now.p95Millis()).isCloseTo(all.get(18_999) / 1e3, Percentage.withPercentage(3.2));
        assertThat(now.p99Millis()).isCloseTo(all.get(19_799) / 1e3, Percentage.withPercentage(3.2));
    }

    @Test
    void shortTimesAreExactAndImpossibleOnesDoNoHarm() {
        for (long micros : new long[] {0, 1, 31, 32, 63}) {
            Latencies one = new Latencies(time);
            one.took(Duration.ofNanos(micros * 1_000));
            assertThat(one.percentiles().p50Millis()).isCloseTo(micros / 1e3, within(1e-9));
        }
        Latencies odd = new Latencies(time);
        odd.took(Duration.ofSeconds(-5));
        assertThat(odd.percentiles().p99Millis()).isZero();
        odd.took(Duration.ofDays(400));
        assertThat(odd.percentiles().p99Millis()).isCloseTo(4_294_967, Percentage.withPercentage(0.1));
    }

    @Test
    void whatIsOldIsForgottenInTwoSteps() {
        took(1_000);
        time.pass(Duration.ofMinutes(5).toMillis());
        took(8_000);
        assertThat(latencies.percentiles().count()).isEqualTo(2);
        time.pass(Duration.ofMinutes(5).toMillis());
        assertThat(latencies.percentiles().count()).isEqualTo(1);
        assertThat(latencies.percentiles().p50Millis()).isGreaterThan(7);
        time.pass(Duration.ofMinutes(10).toMillis());
        assertThat(latencies.percentiles().count()).isZero();
        took(1_000);
        time.pass(Duration.ofMinutes(60).toMillis());
        assertThat(latencies.percentiles().count()).isZero();
    }
}
