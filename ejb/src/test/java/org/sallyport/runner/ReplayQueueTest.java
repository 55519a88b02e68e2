package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;

class ReplayQueueTest {
    private static final ExecutionId A = new ExecutionId(new UUID(0, 1));
    private static final ExecutionId B = new ExecutionId(new UUID(0, 2));
    private static final ExecutionId C = new ExecutionId(new UUID(0, 3));

    private final TurnScheduler scheduler = new TurnScheduler();
    private final ReplayQueue queue = new ReplayQueue(scheduler, Runnable::run);
    /** The executions that were started after a wait. */
    private final List<ExecutionId> started = new ArrayList<>();

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    /** Keeps the tasks until the test runs them. */
    private static final class TurnScheduler extends ScheduledThreadPoolExecutor {
        private final Deque<Runnable> tasks = new ArrayDeque<>();

        TurnScheduler() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            assertThat(unit.toMillis(delay)).isEqualTo(ReplayQueue.MAX_TURN.toMillis());
            tasks.add(command);
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }

    private boolean enter(ExecutionId id) {
        return queue.enter(id, () -> started.add(id));
    }

    @Test
    void executionsReplayInTheOrderInWhichTheyCame() {
        assertThat(enter(A)).isTrue();
        assertThat(enter(B)).isFalse();
        assertThat(enter(C)).isFalse();
        assertThat(started).isEmpty();

        queue.leave(A);
        assertThat(started).containsExactly(B);
        queue.leave(A);
        assertThat(started).containsExactly(B);
        queue.leave(B);
        assertThat(started).containsExactly(B, C);
        queue.leave(C);
        assertThat(enter(A)).isTrue();
    }

    @Test
    void executionThatEndsWhileItWaitsGetsNoTurn() {
        enter(A);
        enter(B);
        enter(C);

        queue.leave(B);
        queue.leave(A);

        assertThat(started).containsExactly(C);
    }

    @Test
    void executionWhoseWaitEndsStartsWithoutATurn() {
        enter(A);
        enter(B);
        enter(C);
        assertThat(queue.waiting()).containsExactly(B, C);

        queue.endWait(C);
        assertThat(started).containsExactly(C);
        queue.endWait(C);
        assertThat(started).containsExactly(C);
        queue.leave(C);
        assertThat(started).as("the turn of A goes on").containsExactly(C);
        queue.leave(A);
        assertThat(started).containsExactly(C, B);
    }

    /** An execution that loses its worker during its replay waits for another turn. */
    @Test
    void endOfALongTurnThatIsOverChangesNothing() {
        enter(A);
        enter(B);
        queue.leave(A);
        enter(A);

        scheduler.tasks.remove().run();
        assertThat(started).containsExactly(B);
        queue.leave(B);
        assertThat(started).containsExactly(B, A);
    }

    @Test
    void turnEndsAfterItsLongestTime() {
        enter(A);
        enter(B);

        scheduler.tasks.remove().run();

        assertThat(started).containsExactly(B);
        queue.leave(A);
        assertThat(enter(C)).as("the turn of B goes on").isFalse();
    }
}
