package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Requests of one caller are bounded in time. */
class RatesTest {
    private final AtomicLong now = new AtomicLong();
    private final Rates rates = new Rates(10, now::get);

    private int sent(String caller, int times) {
        int taken = 0;
        for (int i = 0; i < times; i++) {
            taken += rates.tooMany(caller).isEmpty() ? 1 : 0;
        }
        return taken;
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void twoSecondsMayComeAtOnceAndThenAsManyAsTimeGives() {
        assertThat(sent("a", 30)).isEqualTo(20);
        pass(Duration.ofMillis(500));
        assertThat(sent("a", 30)).isEqualTo(5);
        pass(Duration.ofHours(1));
        assertThat(sent("a", 30)).isEqualTo(20);
    }

    @Test
    void whoIsRefusedHearsForHowLong() {
        sent("a", 20);
        assertThat(rates.tooMany("a"))
                .hasValueSatisfying(rest -> assertThat(rest).isBetween(Duration.ofMillis(99), Duration.ofMillis(101)));
        pass(Duration.ofMillis(101));
        assertThat(rates.tooMany("a")).isEmpty();
        assertThat(rates.tooMany("a")).isPresent();
    }

    @Test
    void othersNoticeNothing() {
        sent("a", 100);
        assertThat(sent("b", 20)).isEqualTo(20);
    }

    @Test
    void whoWasRefusedPaysNothingForIt() {
        sent("a", 1_000);
        pass(Duration.ofSeconds(1));
        assertThat(sent("a", 20)).isEqualTo(10);
    }

    @Test
    void noRateIsNoBound() {
        Rates none = new Rates(0, now::get);
        for (int i = 0; i < 10_000; i++) {
            assertThat(none.tooMany("a")).isEmpty();
        }
    }

    @Test
    void whoIsQuietIsForgotten() {
        for (int i = 0; i < 10_001; i++) {
            rates.tooMany("old " + i);
        }
        sent("a", 20);
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(sent("a", 20)).isEqualTo(2);
    }
}
