package org.sallyport.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CallbackRetryPolicyTest {
    private static final CallbackRetryPolicy POLICY =
            new CallbackRetryPolicy(Duration.ofSeconds(5), Duration.ofHours(6), 15, Duration.ofDays(3));

    @Test
    void delaysDoubleUpToTheMaximumWithJitterOfHalfAtMost() {
        Random random = new Random(7);
        for (int attempt = 1; attempt < 15; attempt++) {
            long whole = Math.min(Duration.ofHours(6).toMillis(), 5_000L << (attempt - 1));
            Duration wait = POLICY.nextDelay(attempt, Duration.ZERO, random).orElseThrow();
            assertThat(wait.toMillis()).isBetween(whole / 2, whole);
        }
    }

    @Test
    void retriesEndAfterTheMaximumAttemptsOrAge() {
        Random random = new Random(7);
        assertThat(POLICY.nextDelay(15, Duration.ZERO, random)).isEmpty();
        assertThat(POLICY.nextDelay(1, Duration.ofDays(3), random)).isEmpty();
        assertThat(new CallbackRetryPolicy(Duration.ofHours(1), Duration.ofHours(6), 100, Duration.ofDays(9))
                        .nextDelay(99, Duration.ZERO, random))
                .hasValueSatisfying(wait -> assertThat(wait).isBetween(Duration.ofHours(3), Duration.ofHours(6)));
    }

    /**
     * The expected value comes from another tool: printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test.
     */
    @Test
    void signatureIsAnHmacOfTimestampAndBody() {
        assertThat(CallbackSigningKey.sign("whsec_test", 1_700_000_000L, "{\"a\":1}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789");
    }
}
