package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ReconnectBackoffTest {
    private static final long FIRST_MILLIS = 500;
    private static final long MAX_MILLIS = 60_000;

    /** Random generator for which the jitter subtracts nothing. */
    private static final RandomGenerator NO_JITTER = new RandomGenerator() {
        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public long nextLong(long bound) {
            return 0;
        }
    };

    /** Random generator for which the jitter subtracts its maximum. */
    private static final RandomGenerator FULL_JITTER = new RandomGenerator() {
        @Override
        public long nextLong() {
            return Long.MAX_VALUE;
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    };

    @Test
    void delaysDoubleUpToTheMaximum() {
        ReconnectBackoff backoff = new ReconnectBackoff(FIRST_MILLIS, MAX_MILLIS, NO_JITTER);
        for (long pause : new long[] {500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000}) {
            assertThat(backoff.nextDelayMillis()).isEqualTo(pause);
        }
    }

    @Test
    void delayStaysAtTheMaximum() {
        ReconnectBackoff backoff = new ReconnectBackoff(FIRST_MILLIS, MAX_MILLIS, NO_JITTER);
        for (int i = 0; i < 7; i++) {
            backoff.nextDelayMillis();
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(backoff.nextDelayMillis()).isEqualTo(MAX_MILLIS);
        }
    }

    @Test
    void jitterShortensADelayByAFifthAtMost() {
        ReconnectBackoff least = new ReconnectBackoff(FIRST_MILLIS, MAX_MILLIS, FULL_JITTER);
        for (long pause : new long[] {400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 48_000, 48_000}) {
            assertThat(least.nextDelayMillis()).isEqualTo(pause);
        }
        ReconnectBackoff backoff = new ReconnectBackoff(FIRST_MILLIS, MAX_MILLIS, new Random(7));
        for (int i = 0; i < 200; i++) {
            long whole = Math.min(MAX_MILLIS, FIRST_MILLIS << Math.min(i, 10));
            assertThat(backoff.nextDelayMillis()).isBetween(whole - whole / 5, whole);
        }
    }

    @Test
    void resetStartsWithTheFirstDelay() {
        ReconnectBackoff backoff = new ReconnectBackoff(FIRST_MILLIS, MAX_MILLIS, NO_JITTER);
        for (int i = 0; i < 30; i++) {
            backoff.nextDelayMillis();
        }
        backoff.reset();
        assertThat(backoff.nextDelayMillis()).isEqualTo(500);
        assertThat(backoff.nextDelayMillis()).isEqualTo(1_000);
    }
}
