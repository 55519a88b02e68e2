package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.ReplayState;

/** When the log is reported, by a clock that the test moves. */
class ReplayLogTest {
    private static final long DAY_MILLIS = 86_400_000;

    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);
    private final ReplayLog log = new ReplayLog(ReplayState.of("s"), now::get);

    /** Lets a repeated timer fire for some time. Returns the reported log. */
    private String fireEvery(long periodMillis, long durationMillis) {
        StringBuilder reported = new StringBuilder();
        for (long passed = 0; passed < durationMillis; passed += periodMillis) {
            now.addAndGet(periodMillis);
            log.timerFired(1);
            if (log.isReportDue()) {
                reported.append(log.drain());
            }
        }
        return reported.toString();
    }

    @Test
    void timersThatFiredAreReportedAboutOnceASecondAtFirst() {
        assertThat(fireEvery(100, 900)).isEmpty();
        assertThat(fireEvery(100, 100)).isEqualTo("t1@0*10 ");
        assertThat(fireEvery(100, 60_000).split(" ")).hasSizeBetween(40, 60);
    }

    @Test
    void timerThatFiresForADayDoesNotFillTheLog() {
        assertThat(fireEvery(300, DAY_MILLIS)).hasSizeLessThan(ReplayState.MAX_LOG_CHARS / 10);
        assertThat(log.isFull()).isFalse();
        assertThat(fireEvery(300, 60_000))
                .as("a replay repeats less than a minute")
                .isNotEmpty();
    }

    @Test
    void reportForAnotherReasonDoesNotLengthenTheDistance() {
        for (int i = 0; i < 1_000; i++) {
            now.addAndGet(999);
            log.timerFired(1);
            log.drain();
        }
        now.addAndGet(1_000);
        log.timerFired(1);
        assertThat(log.isReportDue()).isTrue();
    }
}
