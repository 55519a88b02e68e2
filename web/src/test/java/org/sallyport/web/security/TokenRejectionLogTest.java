package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.identity.token.TokenRejection;

class TokenRejectionLogTest {
    private long now = 7;
    private final TokenRejectionLog rejectionLog = new TokenRejectionLog(() -> now);

    @Test
    void eachReasonIsLoggedOnceAndThenWithItsSuppressedCount() {
        assertThat(rejectionLog.suppressedSinceLastLog(TokenRejection.EXPIRED)).isZero();
        for (int i = 0; i < 1_000; i++) {
            assertThat(rejectionLog.suppressedSinceLastLog(TokenRejection.EXPIRED))
                    .isNegative();
        }
        assertThat(rejectionLog.suppressedSinceLastLog(TokenRejection.SIGNATURE))
                .isZero();
        now += TimeUnit.SECONDS.toNanos(10);
        assertThat(rejectionLog.suppressedSinceLastLog(TokenRejection.EXPIRED)).isEqualTo(1_000);
    }
}
