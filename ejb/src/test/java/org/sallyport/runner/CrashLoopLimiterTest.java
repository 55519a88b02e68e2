package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;

class CrashLoopLimiterTest {
    private static final String OWNER = "n.1.1";
    private static final int CAPACITY = 6;

    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final Semaphore slots = new Semaphore(CAPACITY);
    private final StepScheduler scheduler = new StepScheduler();
    private final CrashLoopLimiter limiter = new CrashLoopLimiter(slots, CAPACITY, 2, store, scheduler, Runnable::run);

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    /** Keeps the tasks until the test runs them. */
    private static final class StepScheduler extends ScheduledThreadPoolExecutor {
        private final Deque<Runnable> tasks = new ArrayDeque<>();

        StepScheduler() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            assertThat(unit.toSeconds(delay)).isEqualTo(30);
            tasks.add(command);
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }

        void runNext() {
            tasks.remove().run();
        }
    }

    private FencingToken claimed() {
        NewExecution execution = anExecution().build();
        store.insert(execution);
        FencingToken fence = store.claim(execution.id(), OWNER).orElseThrow().fence();
        limiter.onClaimed(fence);
        return fence;
    }

    private boolean isMarked(FencingToken fence) {
        ExecutionId id = fence.id();
        return store.row(id).runsAlone;
    }

    @Test
    void nodeThatCrashedOnceStartsWithAllSlots() {
        limiter.begin(1, OWNER);
        assertThat(slots.availablePermits()).isEqualTo(CAPACITY);
        assertThat(isMarked(claimed())).isFalse();
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void nodeInACrashLoopStartsWithOneSlotAndDoublesIt() {
        limiter.begin(2, OWNER);
        assertThat(slots.availablePermits()).isEqualTo(1);
        FencingToken alone = claimed();
        assertThat(isMarked(alone)).isTrue();

        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(2);
        assertThat(isMarked(alone)).isFalse();
        assertThat(isMarked(claimed())).isFalse();

        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(4);
        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(CAPACITY);
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void markIsRevokedBeforeAnotherExecutionMayRun() {
        limiter.begin(5, OWNER);
        FencingToken alone = claimed();
        store.failNext(1);
        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(1);
        assertThat(isMarked(alone)).isTrue();

        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(2);
        assertThat(isMarked(alone)).isFalse();
    }

    @Test
    void endOfAReplayIsRecordedWhileExecutionsRunAlone() {
        limiter.begin(2, OWNER);
        FencingToken alone = claimed();
        store.row(alone.id()).replaysAlone = true;
        store.failNext(1);
        limiter.onReplayed(alone);
        assertThat(store.row(alone.id()).replaysAlone).isTrue();

        limiter.onReplayed(alone);
        assertThat(store.row(alone.id()).replaysAlone).isFalse();
    }

    @Test
    void executionRunsEvenIfItCannotBeMarked() {
        limiter.begin(2, OWNER);
        NewExecution execution = anExecution().build();
        store.insert(execution);
        FencingToken fence = store.claim(execution.id(), OWNER).orElseThrow().fence();
        store.failNext(1);
        limiter.onClaimed(fence);
        assertThat(isMarked(fence)).isFalse();
    }

    @Test
    void closingNodeWithholdsNoSlots() {
        limiter.begin(2, OWNER);
        limiter.end();
        assertThat(slots.availablePermits()).isEqualTo(CAPACITY);
        scheduler.runNext();
        assertThat(slots.availablePermits()).isEqualTo(CAPACITY);
    }

    @Test
    void nodeWithOneSlotMarksEachExecution() {
        CrashLoopLimiter single = new CrashLoopLimiter(new Semaphore(1), 1, 2, store, scheduler, Runnable::run);
        single.begin(2, OWNER);
        FencingToken fence = claimed();
        single.onClaimed(fence);
        assertThat(isMarked(fence)).isTrue();
    }
}
