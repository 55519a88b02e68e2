package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotaTest {
    private final Quota quota = new Quota();

    @Test
    void noMoreAreTakenThanThereAreAndWhatIsGivenBackCanBeTakenAgain() {
        assertThat(quota.take("a", 2)).isTrue();
        assertThat(quota.take("a", 2)).isTrue();
        assertThat(quota.take("a", 2)).isFalse();
        assertThat(quota.take("b", 1)).isTrue();
        assertThat(quota.take("c", 0)).isFalse();
        assertThat(quota.taken("c")).isZero();

        quota.giveBack("a");

        assertThat(quota.taken("a")).isEqualTo(1);
        assertThat(quota.take("a", 2)).isTrue();
    }
}
