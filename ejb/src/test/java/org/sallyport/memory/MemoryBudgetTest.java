package org.sallyport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
    void bytesThatAreHeldAlreadyAreReservedBeyondTheBudget() {
        MemoryReservation first = reserveNow("a", 50);
        MemoryReservation held = budget.reserveHeld("a", 40);
        held.growHeld(30);
        CompletableFuture<MemoryReservation> waiting = await("b", 10);

        assertThat(budget.usedBytes()).isEqualTo(120);
        assertThat(first.tryGrow(1)).isFalse();
        held.shrink(29);
        assertThat(waiting).isNotDone();
        held.shrink(1);
        assertThat(waiting).isCompleted();
        held.close();
        assertThat(budget.usedBytes()).isEqualTo(60);
        assertThatThrownBy(() -> held.growHeld(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatCanNeverBeReservedDoesNotWait() {
        assertThat(budget.maxBytesPerOwner()).isEqualTo(50);
        assertThatThrownBy(() -> await("a", 51)).isInstanceOf(IllegalArgumentException.class);
        assertThat(budget.tryReserve("a", Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void reservationsOfAnOwnerAreGrantedInTheirOrder() {
        MemoryReservation first = reserveNow("a", 50);
        CompletableFuture<MemoryReservation> large = await("a", 50);
        CompletableFuture<MemoryReservation> small = await("a", 1);

        assertThat(budget.waitingCount()).isEqualTo(2);
        assertThat(budget.tryReserve("a", 1)).isEmpty();
        first.shrink(49);
        assertThat(small).isNotDone();
        first.close();
        assertThat(large).isCompleted();
        assertThat(small).isNotDone();
        large.join().close();
        assertThat(small).isCompleted();
        assertThat(budget.usedBytes()).isEqualTo(1);
        assertThat(budget.waitingCount()).isZero();
    }

    @Test
    void smallReservationsOfOthersPassALargeOneThatWaits() {
        reserveNow("a", 50);
        MemoryReservation second = reserveNow("b", 40);
        CompletableFuture<MemoryReservation> large = await("c", 40);

        reserveNow("d", 4).close();
        assertThat(await("d", 5)).isCompleted();
        assertThat(large).isNotDone();
        assertThat(second.tryGrow(1)).as("others may wait for it").isTrue();
        second.close();
        assertThat(large).isCompleted();
    }

    @Test
    void othersWaitForAReservationThatTheWholeBudgetHasPassed() {
        reserveNow("a", 50);
        MemoryReservation second = reserveNow("b", 40);
        CompletableFuture<MemoryReservation> large = await("c", 40);
        passWithTheWholeBudget();

        assertThat(budget.tryReserve("d", 1)).isEmpty();
        CompletableFuture<MemoryReservation> small = await("d", 1);
        assertThat(small).isNotDone();
        second.shrink(29);
        assertThat(small).isNotDone();
        second.shrink(1);
        assertThat(large).isCompleted();
        assertThat(small).isNotDone();
        second.close();
        assertThat(small).isCompleted();
    }

    private void passWithTheWholeBudget() {
        for (int i = 0; i < MAX_BYTES / 10; i++) {
            reserveNow("d", 10).close();
        }
    }

    @Test
    void ownersThatHoldLeastComeFirst() {
        MemoryReservation first = reserveNow("a", 50);
        reserveNow("b", 30);
        reserveNow("c", 20);
        CompletableFuture<MemoryReservation> more = await("b", 10);
        CompletableFuture<MemoryReservation> muchMore = await("b", 10);
        CompletableFuture<MemoryReservation> some = await("c", 10);
        CompletableFuture<MemoryReservation> any = await("d", 10);

        first.shrink(10);
        assertThat(any).isCompleted();
        first.shrink(10);
        assertThat(some).isCompleted();
        assertThat(more).isNotDone();
        first.shrink(10);
        assertThat(more).isCompleted();
        assertThat(muchMore).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyReservationIsGrantedWhileHoldersFreeTheirBytes(long seed) {
        Random random = new Random(seed);
        Deque<CompletableFuture<MemoryReservation>> waiting = new ArrayDeque<>();
        List<MemoryReservation> held = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            String owner = "owner " + random.nextInt(5);
            long bytes = random.nextInt(4) == 0 ? 50 : 1 + random.nextInt(5);
            waiting.add(await(owner, bytes));
            if (random.nextBoolean()) {
                budget.tryReserve(owner, 1).ifPresent(held::add);
            }
            checkBounds();
            waiting.removeIf(each -> each.isDone() && held.add(each.join()));
            if (!held.isEmpty()) {
                held.remove(random.nextInt(held.size())).close();
            }
            checkBounds();
        }
        while (!waiting.isEmpty()) {
            waiting.removeIf(each -> each.isDone() && held.add(each.join()));
            assertThat(held).as("all bytes are free, but reservations wait").isNotEmpty();
            held.remove(random.nextInt(held.size())).close();
            checkBounds();
        }
        held.forEach(MemoryReservation::close);
        assertThat(budget.usedBytes()).isZero();
        assertThat(budget.waitingCount()).isZero();
    }

    private void checkBounds() {
        assertThat(budget.usedBytes()).isBetween(0L, (long) MAX_BYTES);
        for (int owner = 0; owner < 5; owner++) {
            assertThat(budget.usedBytes("owner " + owner)).isBetween(0L, budget.maxBytesPerOwner());
        }
    }

    /** New small reservations of other owners arrive without end, and each frees its bytes after the next has come. */
    @Test
    void largeReservationIsGrantedWhileSmallOnesArriveWithoutEnd() {
        Deque<CompletableFuture<MemoryReservation>> small = new ArrayDeque<>();
        for (int i = 0; i < MAX_BYTES; i++) {
            small.add(await("small " + i % 3, 1));
        }
        CompletableFuture<MemoryReservation> large = await("large", 50);

        for (int i = 0; i < 3 * MAX_BYTES && !large.isDone(); i++) {
            small.add(await("small " + i % 3, 1));
            assertThat(small.peek()).isCompleted();
            small.remove().join().close();
        }

        assertThat(large).isCompleted();
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
        passWithTheWholeBudget();
        CompletableFuture<MemoryReservation> small = await("d", 10);
        assertThat(small).isNotDone();

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
