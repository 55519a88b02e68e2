package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressRateLimiterTest {
    /** {@link System#nanoTime} may overflow. */
    private static final long START = Long.MAX_VALUE - 5;

    private final ProgressRateLimiter limiter = new ProgressRateLimiter(START);

    private int acquire(long millis) {
        int acquired = 0;
        for (int i = 0; i < 1_000; i++) {
            if (limiter.tryAcquire(START + TimeUnit.MILLISECONDS.toNanos(millis))) {
                acquired++;
            }
        }
        return acquired;
    }

    @Test
    void reportsOfOneSecondMayBeMadeAtOnce() {
        assertThat(acquire(0)).isEqualTo(ProgressRateLimiter.MAX_PER_SECOND);
    }

    @Test
    void laterReportsAreMadeAtTheRate() {
        acquire(0);
        assertThat(acquire(49)).isZero();
        assertThat(acquire(50)).isEqualTo(1);
        assertThat(acquire(550)).isEqualTo(ProgressRateLimiter.MAX_PER_SECOND / 2);
    }

    @Test
    void longPauseAllowsNoMoreThanOneSecond() {
        acquire(0);
        assertThat(acquire(1_000_000)).isEqualTo(ProgressRateLimiter.MAX_PER_SECOND);
    }
}
