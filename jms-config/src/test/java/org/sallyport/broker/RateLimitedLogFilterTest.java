package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimitedLogFilterTest {
    private long now;
    private final RateLimitedLogFilter rationed = new RateLimitedLogFilter(() -> now);

    private long countPassed() {
        return IntStream.range(0, 1_000)
                .filter(i -> rationed.isLoggable(new LogRecord(Level.WARNING, "again")))
                .count();
    }

    @Test
    void linesPerMinuteAreLimited() {
        assertThat(countPassed()).isEqualTo(60);
        now += Duration.ofSeconds(59).toNanos();
        assertThat(countPassed()).isZero();
        now += Duration.ofSeconds(1).toNanos();
        assertThat(countPassed()).isEqualTo(60);
    }
}
