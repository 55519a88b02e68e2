package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountedQuotaTest {
    private final AtomicLong stored = new AtomicLong();
    private final AtomicInteger counted = new AtomicInteger();
    private final AtomicLong most = new AtomicLong(10);
    private final AtomicLong nanos = new AtomicLong();
    private final CountedQuota limit = new CountedQuota(this::count, tenant -> most.get(), nanos::get);

    private long count(String tenant) {
        counted.incrementAndGet();
        return tenant.equals("t") ? stored.get() : 0;
    }

    /** Accepted, and in the store. */
    private boolean accepts(int more) {
        boolean taken = limit.take("t", more);
        if (taken) {
            stored.addAndGet(more);
            limit.settle("t", more, true);
        }
        return taken;
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void whatWaitsAlreadyCountsAndWhatIsAcceptedToo() {
        stored.set(8);

        assertThat(accepts(1)).isTrue();
        assertThat(accepts(2)).isFalse();
        assertThat(accepts(1)).isTrue();
        assertThat(accepts(1)).isFalse();
        assertThat(limit.take("other", 10)).isTrue();
    }

    @Test
    void nobodyIsRefusedForWhatHasBegunLongAgo() {
        assertThat(accepts(10)).isTrue();
        stored.set(0);
        pass(1_500);

        assertThat(accepts(10)).isTrue();
    }

    @Test
    void whatWasNotStoredTakesNoRoom() {
        assertThat(limit.take("t", 10)).isTrue();
        assertThat(limit.take("t", 1)).isFalse();
        limit.settle("t", 10, false);

        assertThat(accepts(10)).isTrue();
    }

    @Test
    void whatIsBeingStoredIsNotForgottenWhenItIsCounted() {
        assertThat(limit.take("t", 9)).isTrue();
        pass(6_000);

        assertThat(accepts(2)).isFalse();
        stored.set(9);
        limit.settle("t", 9, true);
        pass(1_001);
        assertThat(accepts(1)).isTrue();
        assertThat(accepts(1)).isFalse();
    }

    @Test
    void aFloodIsNotCountedEachTime() {
        stored.set(10);
        for (int i = 0; i < 1_000; i++) {
            assertThat(accepts(1)).isFalse();
        }
        assertThat(counted.get()).isOne();
        pass(1_001);
        assertThat(accepts(1)).isFalse();
        assertThat(counted.get()).isEqualTo(2);
    }

    @Test
    void belowTheLimitItIsCountedNowAndThen() {
        for (int second = 0; second < 10; second++) {
            assertThat(accepts(1)).isTrue();
            pass(1_000);
        }
        assertThat(counted.get()).isEqualTo(2);
    }

    @Test
    void manyAtOnceDoNotPassTheLimitAndNoneIsKeptOut() {
        assertThat(IntStream.range(0, 1_000)
                        .parallel()
                        .filter(any -> accepts(1))
                        .count())
                .isEqualTo(10);
    }

    @Test
    void whoCanDoWithLessHearsHowMuchRoomThereIs() {
        stored.set(7);
        assertThat(limit.room("t", 2)).isEqualTo(2);
        assertThat(limit.room("t", 5)).isEqualTo(3);
        assertThat(accepts(3)).isTrue();
        assertThat(limit.room("t", 5)).isZero();
        stored.set(0);
        pass(1_001);
        assertThat(limit.room("t", 50)).isEqualTo(10);
    }

    @Test
    void withoutALimitNothingIsCountedAndOneThatIsSetLaterHolds() {
        most.set(0);
        assertThat(accepts(50)).isTrue();
        assertThat(limit.room("t", 50)).isEqualTo(50);
        assertThat(counted.get()).isZero();
        most.set(55);
        assertThat(accepts(6)).isFalse();
        assertThat(accepts(5)).isTrue();
    }
}
