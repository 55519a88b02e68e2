package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class InvalidLineLimiterTest {
    private final AtomicLong nanos = new AtomicLong();
    private final InvalidLineLimiter limiter = new InvalidLineLimiter(nanos::get);

    @Test
    void linesOfALogWithEachMessageAreNeverTooMany() {
        for (int message = 0; message < 10_000; message++) {
            limiter.recordMessage();
            for (int line = 0; line < InvalidLineLimiter.LINES_PER_MESSAGE; line++) {
                assertThat(limiter.tryAcquire()).isTrue();
            }
        }
    }

    @Test
    void linesAtALowRateAreNeverTooMany() {
        for (int line = 0; line < 100_000; line++) {
            assertThat(limiter.tryAcquire()).isTrue();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1) / InvalidLineLimiter.LINES_PER_SECOND);
        }
    }

    @Test
    void floodEnds() {
        int allowed = 0;
        while (limiter.tryAcquire()) {
            allowed++;
        }
        assertThat(allowed).isEqualTo(InvalidLineLimiter.BURST);
        limiter.recordMessage();
        limiter.recordMessage();
        for (int line = 0; line < InvalidLineLimiter.LINES_PER_MESSAGE; line++) {
            assertThat(limiter.tryAcquire()).isTrue();
        }
        assertThat(limiter.tryAcquire()).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }
}
