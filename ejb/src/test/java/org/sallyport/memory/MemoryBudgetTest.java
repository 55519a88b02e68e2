package org.sallyport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sallyport.memory.MemoryBudget.MemoryReservation;

class MemoryBudgetTest {
    private static final int MAX_BYTES = 100;

    private final MemoryBudget budget = new MemoryBudget("test", MAX_BYTES);

    private MemoryReservation reserveNow(String owner, long bytes) {
        return budget.tryReserve(owner, bytes).orElseThrow();
    }

    private CompletableFuture<MemoryReservation> await(String owner, long bytes) {
        return budget.reserve(owner, bytes, Runnable::run);
    }

    @Test
    void noOwnerGetsMoreThanHalfAndAllTogetherGetNoMoreThanAll() {
        reserveNow("a", 50);

        assertThat(budget.tryReserve("a", 1)).isEmpty();
        reserveNow("b", 30);
        assertThat(budget.tryReserve("c", 21)).isEmpty();
        reserveNow("c", 20);
        assertThat(budget.usedBytes()).isEqualTo(MAX_BYTES);
    }

    @Test
    void closingTwiceFreesTheBytesOnce() {
        MemoryReservation first = reserveNow("a", 40);
        reserveNow("a", 10);

        first.close();
        first.close();

        assertThat(budget.usedBytes()).isEqualTo(10);
        assertThat(first.bytes()).isZero();
        assertThat(budget.tryReserve("a", 41)).isEmpty();
        reserveNow("a", 40);
    }

    @Test
    void shrinkingFreesAPartOfTheBytes() {
        MemoryReservation reservation = reserveNow("a", 50);
        CompletableFuture<MemoryReservation> waiting = await("a", 20);

        reservation.shrink(19);
        assertThat(waiting).isNotDone();
        reservation.shrink(1);

        assertThat(waiting).isCompleted();
        assertThat(reservation.bytes()).isEqualTo(30);
        assertThatThrownBy(() -> reservation.shrink(31)).isInstanceOf(IllegalArgumentException.class);
        reservation.close();
        reservation.shrink(1);
        assertThat(budget.usedBytes()).isEqualTo(20);
    }

    @Test
    void reservationGrowsWhileThereIsRoomForItsOwner() {
        MemoryReservation reservation = reserveNow("a", 10);

        assertThat(reservation.tryGrow(40)).isTrue();
        assertThat(reservation.tryGrow(1)).isFalse();
        assertThat(reservation.bytes()).isEqualTo(50);
        reservation.close();
        assertThat(budget.usedBytes()).isZero();
        assertThatThrownBy(() -> reservation.tryGrow(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatCanNeverBeReservedDoesNotWait() {
        assertThat(budget.maxBytesPerOwner()).isEqualTo(50);
        assertThatThrownBy(() -> await("a", 51)).isInstanceOf(IllegalArgumentException.class);
        assertThat(budget.tryReserve("a", Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void reservationsAreGrantedInTheirOrder() {
        MemoryReservation first = reserveNow("a", 50);
        MemoryReservation second = reserveNow("b", 50);
        CompletableFuture<MemoryReservation> large = await("c", 50);
        CompletableFuture<MemoryReservation> small = await("d", 1);

        assertThat(budget.waitingCount()).isEqualTo(2);
        first.close();
        assertThat(large).isCompleted();
        assertThat(small).isNotDone();
        second.close();
        assertThat(small).isCompleted();
        assertThat(budget.usedBytes()).isEqualTo(51);
        assertThat(budget.waitingCount()).isZero();
    }

    @Test
    void newReservationsDoNotPassWaitingOnes() {
        reserveNow("a", 50);
        MemoryReservation second = reserveNow("b", 20);
        CompletableFuture<MemoryReservation> large = await("c", 40);

        assertThat(budget.tryReserve("d", 1)).isEmpty();
        assertThat(second.tryGrow(1)).as("others may wait for it").isTrue();
        second.close();
        assertThat(large).isCompleted();
        reserveNow("d", 1);
    }

    @Test
    void ownerThatHoldsItsShareLetsOthersPass() {
        MemoryReservation own = reserveNow("a", 50);
        CompletableFuture<MemoryReservation> next = await("a", 10);

        reserveNow("b", 10);
        assertThat(await("c", 10)).isCompleted();
        assertThat(next).isNotDone();
        own.close();
        assertThat(next).isCompleted();
    }

    @Test
    void cancelledReservationDoesNotHoldUpOthers() {
        reserveNow("a", 50);
        reserveNow("b", 40);
        CompletableFuture<MemoryReservation> large = await("c", 20);
        CompletableFuture<MemoryReservation> small = await("d", 10);

        large.cancel(false);

        assertThat(small).isCompleted();
        assertThat(budget.waitingCount()).isZero();
        assertThat(budget.usedBytes()).isEqualTo(MAX_BYTES);
    }

    /** The reservation is granted, but its executor has not told the waiter yet. */
    @Test
    void bytesGrantedToACancelledReservationAreFreed() {
        List<Runnable> notifications = new ArrayList<>();
        MemoryReservation first = reserveNow("a", 50);
        CompletableFuture<MemoryReservation> waiting = budget.reserve("a", 30, notifications::add);

        first.close();
        assertThat(budget.usedBytes()).isEqualTo(30);
        waiting.cancel(false);
        notifications.forEach(Runnable::run);

        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void threadsNeverHoldMoreThanTheBudgetTogether() throws Exception {
        AtomicLong held = new AtomicLong();
        AtomicLong maxHeld = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                String owner = "owner " + thread;
                ends.add(threads.submit(() -> {
                    for (int i = 0; i < 2_000; i++) {
                        Optional<MemoryReservation> reservation = budget.tryReserve(owner, 1 + i % 50);
                        reservation.ifPresent(own -> {
                            long bytes = own.bytes();
                            long now = held.addAndGet(bytes);
                            maxHeld.accumulateAndGet(now, Math::max);
                            held.addAndGet(-bytes);
                            own.close();
                        });
                    }
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(maxHeld.get()).isPositive().isLessThanOrEqualTo(MAX_BYTES);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void budgetsOfANodeAreAPartOfItsHeap() {
        assertThat(new MemoryBudgets(1L << 30, 50).bodies().maxBytesPerOwner()).isBetween(33_000_000L, 33_600_000L);
        assertThat(new MemoryBudgets(64L << 20, 50).bodies().maxBytesPerOwner()).isEqualTo(24L << 20);
    }
}
