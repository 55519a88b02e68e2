package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountedQuotaCheckTest {
    private final AtomicLong stored = new AtomicLong();
    private final AtomicInteger counted = new AtomicInteger();
    private final AtomicLong maximum = new AtomicLong(10);
    private final AtomicLong nanos = new AtomicLong();
    private final CountedQuotaCheck limit = new CountedQuotaCheck(this::count, tenant -> maximum.get(), nanos::get);

    private long count(String tenant) {
        counted.incrementAndGet();
        return tenant.equals("t") ? stored.get() : 0;
    }

    /** Reserves and, if the reservation is accepted, stores. Returns whether it was accepted. */
    private boolean reserveAndStore(int more) {
        boolean taken = limit.tryReserve("t", more);
        if (taken) {
            stored.addAndGet(more);
            limit.settle("t", more, true);
        }
        return taken;
    }

    private void advanceClock(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void storedAndReservedItemsCountTowardsTheLimit() {
        stored.set(8);

        assertThat(reserveAndStore(1)).isTrue();
        assertThat(reserveAndStore(2)).isFalse();
        assertThat(reserveAndStore(1)).isTrue();
        assertThat(reserveAndStore(1)).isFalse();
        assertThat(limit.tryReserve("other", 10)).isTrue();
    }

    @Test
    void finishedItemsDoNotCount() {
        assertThat(reserveAndStore(10)).isTrue();
        stored.set(0);
        advanceClock(1_500);

        assertThat(reserveAndStore(10)).isTrue();
    }

    @Test
    void unsuccessfulReservationIsReleased() {
        assertThat(limit.tryReserve("t", 10)).isTrue();
        assertThat(limit.tryReserve("t", 1)).isFalse();
        limit.settle("t", 10, false);

        assertThat(reserveAndStore(10)).isTrue();
    }

    @Test
    void pendingReservationSurvivesARecount() {
        assertThat(limit.tryReserve("t", 9)).isTrue();
        advanceClock(6_000);

        assertThat(reserveAndStore(2)).isFalse();
        stored.set(9);
        limit.settle("t", 9, true);
        advanceClock(1_001);
        assertThat(reserveAndStore(1)).isTrue();
        assertThat(reserveAndStore(1)).isFalse();
    }

    @Test
    void rejectedFloodDoesNotRecountEachTime() {
        stored.set(10);
        for (int i = 0; i < 1_000; i++) {
            assertThat(reserveAndStore(1)).isFalse();
        }
        assertThat(counted.get()).isOne();
        advanceClock(1_001);
        assertThat(reserveAndStore(1)).isFalse();
        assertThat(counted.get()).isEqualTo(2);
    }

    @Test
    void recountIsRareBelowTheLimit() {
        for (int second = 0; second < 10; second++) {
            assertThat(reserveAndStore(1)).isTrue();
            advanceClock(1_000);
        }
        assertThat(counted.get()).isEqualTo(2);
    }

    @Test
    void concurrentReservationsReachTheLimitExactly() {
        assertThat(IntStream.range(0, 1_000)
                        .parallel()
                        .filter(any -> reserveAndStore(1))
                        .count())
                .isEqualTo(10);
    }

    @Test
    void availableReturnsTheRemainingQuota() {
        stored.set(7);
        assertThat(limit.available("t", 2)).isEqualTo(2);
        assertThat(limit.available("t", 5)).isEqualTo(3);
        assertThat(reserveAndStore(3)).isTrue();
        assertThat(limit.available("t", 5)).isZero();
        stored.set(0);
        advanceClock(1_001);
        assertThat(limit.available("t", 50)).isEqualTo(10);
    }

    @Test
    void noLimitMeansNoCountAndALaterLimitApplies() {
        maximum.set(0);
        assertThat(reserveAndStore(50)).isTrue();
        assertThat(limit.available("t", 50)).isEqualTo(50);
        assertThat(counted.get()).isZero();
        maximum.set(55);
        assertThat(reserveAndStore(6)).isFalse();
        assertThat(reserveAndStore(5)).isTrue();
    }
}
