package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The rate of one caller's requests is limited. */
class RequestRateLimiterTest {
    private final AtomicLong now = new AtomicLong();
    private final RequestRateLimiter limiter = new RequestRateLimiter(10, now::get);

    private int sendRequests(String caller, int times) {
        int taken = 0;
        for (int i = 0; i < times; i++) {
            taken += limiter.throttle(caller).isEmpty() ? 1 : 0;
        }
        return taken;
    }

    private void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void burstOfTwoSecondsIsAllowedThenTheSteadyRate() {
        assertThat(sendRequests("a", 30)).isEqualTo(20);
        advance(Duration.ofMillis(500));
        assertThat(sendRequests("a", 30)).isEqualTo(5);
        advance(Duration.ofHours(1));
        assertThat(sendRequests("a", 30)).isEqualTo(20);
    }

    @Test
    void refusalNamesTheTimeToWait() {
        sendRequests("a", 20);
        assertThat(limiter.throttle("a"))
                .hasValueSatisfying(rest -> assertThat(rest).isBetween(Duration.ofMillis(99), Duration.ofMillis(101)));
        advance(Duration.ofMillis(101));
        assertThat(limiter.throttle("a")).isEmpty();
        assertThat(limiter.throttle("a")).isPresent();
    }

    @Test
    void otherCallersAreNotAffected() {
        sendRequests("a", 100);
        assertThat(sendRequests("b", 20)).isEqualTo(20);
    }

    @Test
    void refusedRequestsConsumeNoTokens() {
        sendRequests("a", 1_000);
        advance(Duration.ofSeconds(1));
        assertThat(sendRequests("a", 20)).isEqualTo(10);
    }

    @Test
    void zeroRateMeansNoLimit() {
        RequestRateLimiter none = new RequestRateLimiter(0, now::get);
        for (int i = 0; i < 10_000; i++) {
            assertThat(none.throttle("a")).isEmpty();
        }
    }

    @Test
    void idleCallersAreForgotten() {
        for (int i = 0; i < 10_001; i++) {
            limiter.throttle("old " + i);
        }
        sendRequests("a", 20);
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(sendRequests("a", 20)).isEqualTo(2);
    }
}
