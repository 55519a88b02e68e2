package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.token.Refusal;

class RefusedTokensTest {
    private long now = 7;
    private final RefusedTokens told = new RefusedTokens(() -> now);

    @Test
    void ofEachReasonOneIsToldAndThenHowManyWereNot() {
        assertThat(told.untold(Refusal.EXPIRED)).isZero();
        for (int i = 0; i < 1_000; i++) {
            assertThat(told.untold(Refusal.EXPIRED)).isNegative();
        }
        assertThat(told.untold(Refusal.SIGNATURE)).isZero();
        now += TimeUnit.SECONDS.toNanos(10);
        assertThat(told.untold(Refusal.EXPIRED)).isEqualTo(1_000);
    }
}
