package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final long FIRST = 500;
    private static final long MOST = 60_000;

    /** Chance that takes nothing off. */
    private static final RandomGenerator LEAST = new RandomGenerator() {
        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public long nextLong(long bound) {
            return 0;
        }
    };

    /** Chance that takes off all that it may. */
    private static final RandomGenerator GREATEST = new RandomGenerator() {
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
    void pausesDoubleUpToTheLongest() {
        Backoff backoff = new Backoff(FIRST, MOST, LEAST);
        for (long pause : new long[] {500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000}) {
            assertThat(backoff.next()).isEqualTo(pause);
        }
    }

    @Test
    void howeverOftenItIsTriedThePauseStaysTheLongest() {
        Backoff backoff = new Backoff(FIRST, MOST, LEAST);
        for (int i = 0; i < 7; i++) {
            backoff.next();
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(backoff.next()).isEqualTo(MOST);
        }
    }

    @Test
    void chanceShortensAPauseByAFifthAtMost() {
        Backoff least = new Backoff(FIRST, MOST, GREATEST);
        for (long pause : new long[] {400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 48_000, 48_000}) {
            assertThat(least.next()).isEqualTo(pause);
        }
        Backoff backoff = new Backoff(FIRST, MOST, new Random(7));
        for (int i = 0; i < 200; i++) {
            long whole = Math.min(MOST, FIRST << Math.min(i, 10));
            assertThat(backoff.next()).isBetween(whole - whole / 5, whole);
        }
    }

    @Test
    void afterItWentWellThePausesBeginAnew() {
        Backoff backoff = new Backoff(FIRST, MOST, LEAST);
        for (int i = 0; i < 30; i++) {
            backoff.next();
        }
        backoff.reset();
        assertThat(backoff.next()).isEqualTo(500);
        assertThat(backoff.next()).isEqualTo(1_000);
    }
}
