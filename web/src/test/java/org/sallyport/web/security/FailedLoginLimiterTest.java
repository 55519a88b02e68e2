package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.web.FakeHttpExchange;

class FailedLoginLimiterTest {
    private static final String KEY = "sp_" + "a".repeat(12) + "_" + "b".repeat(43);

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final FailedLoginLimiter limiter =
            new FailedLoginLimiter(() -> now, () -> TimeUnit.SECONDS.toNanos(now.getEpochSecond()));

    private Optional<Duration> wrong(String address, String secret) {
        return limiter.recordFailure(
                new FakeHttpExchange("GET", "/").fromAddress(address).request(), secret);
    }

    private void useUp(String address) {
        for (int i = 0; i < FailedLoginLimiter.FREE_ATTEMPTS; i++) {
            assertThat(wrong(address, "wrong")).isEmpty();
        }
    }

    @Test
    void repeatedFailuresDoubleThePause() {
        useUp("192.0.2.1");

        assertThat(wrong("192.0.2.1", "wrong")).contains(Duration.ofSeconds(1));
        assertThat(wrong("192.0.2.1", "wrong")).contains(Duration.ofSeconds(1));
        now = now.plusSeconds(1);
        assertThat(wrong("192.0.2.1", "wrong")).contains(Duration.ofSeconds(2));
        now = now.plusSeconds(2);
        assertThat(wrong("192.0.2.1", "wrong")).contains(Duration.ofSeconds(4));
        for (int i = 0; i < 20; i++) {
            now = now.plus(FailedLoginLimiter.MAX_PAUSE);
            wrong("192.0.2.1", "wrong");
        }
        assertThat(wrong("192.0.2.1", "wrong")).contains(FailedLoginLimiter.MAX_PAUSE);
    }

    @Test
    void otherAddressesAreNotSlowedDown() {
        useUp("192.0.2.1");
        wrong("192.0.2.1", "wrong");

        assertThat(wrong("192.0.2.2", "wrong")).isEmpty();
    }

    @Test
    void keyTriedFromManyAddressesIsSlowedDownToo() {
        for (int i = 0; i < FailedLoginLimiter.FREE_ATTEMPTS; i++) {
            assertThat(wrong("192.0.2." + i, KEY)).isEmpty();
        }

        assertThat(wrong("192.0.2.200", KEY)).contains(Duration.ofSeconds(1));
        assertThat(wrong("192.0.2.201", "wrong")).isEmpty();
    }

    /** A client can invent ids of keys, each of which is delayed on its own. */
    @Test
    void clientWithManyKeysCausesFewLogLines() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(FailedLoginLimiter.class.getName());
        logger.addHandler(handler);
        try {
            for (int key = 10; key < 60; key++) {
                String secret = KEY.replace("aa", Integer.toString(key));
                for (int i = 0; i <= FailedLoginLimiter.FREE_ATTEMPTS; i++) {
                    wrong("192.0.2.1", secret);
                }
            }
            now = now.plusSeconds(10);
            useUp("192.0.2.2");
            wrong("192.0.2.2", "wrong");
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).contains("address 192.0.2.2", "50 others");
    }

    @Test
    void failuresAreForgottenAfterAWhile() {
        useUp("192.0.2.1");
        now = now.plus(Duration.ofMinutes(16));

        useUp("192.0.2.1");
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7, 192.0.2.7",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
        "2001:db8::1, 2001:db8:0:0::/64",
        "::1, 0:0:0:0::/64",
        "fe80::1%eth0, fe80:0:0:0::/64"
    })
    void ipv6NetworkCountsAsOneAddress(String address, String network) {
        assertThat(FailedLoginLimiter.network(address)).isEqualTo(network);
    }
}
