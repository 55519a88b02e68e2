package org.sallyport.runner;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;

/**
 * Lets executions that have lost a node replay their journals one after another. After a start, a node otherwise loads
 * the journals of all of them at the same time, and their sum may end it again. An execution has its turn until its
 * journal is replayed, but not longer than {@link #MAX_TURN}: its script may compute for long between two calls.
 * Thread-safe.
 */
final class ReplayQueue {
    static final Duration MAX_TURN = Duration.ofSeconds(30);

    private final ScheduledExecutorService scheduler;
    private final Executor tasks;
    /** What starts the executions that wait for their turn, in order. Guarded by this. */
    private final Map<ExecutionId, Runnable> waiting = new LinkedHashMap<>();
    /** The execution whose turn it is. Guarded by this. */
    private @Nullable ExecutionId replaying;
    /** Number of turns that have begun. Guarded by this. */
    private long turns;

    /** @param tasks starts the executions that had to wait */
    ReplayQueue(ScheduledExecutorService scheduler, Executor tasks) {
        this.scheduler = scheduler;
        this.tasks = tasks;
    }

    /**
     * Returns true if it is the turn of the execution now, because no other one replays. Otherwise {@code start} is run
     * when it is its turn.
     */
    synchronized boolean enter(ExecutionId id, Runnable start) {
        if (replaying != null) {
            waiting.put(id, start);
            return false;
        }
        begin(id);
        return true;
    }

    private void begin(ExecutionId id) {
        replaying = id;
        long begun = ++turns;
        scheduler.schedule(() -> endTurn(begun), MAX_TURN.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void endTurn(long begun) {
        if (begun == turns && replaying != null) {
            beginNext();
        }
    }

    /** Ends the turn of the execution, or its wait. Has no effect if it has neither. */
    synchronized void leave(ExecutionId id) {
        waiting.remove(id);
        if (id.equals(replaying)) {
            beginNext();
        }
    }

    /** Starts the execution without a turn if it waits for one; for an execution that replays nothing. */
    synchronized void endWait(ExecutionId id) {
        Optional.ofNullable(waiting.remove(id)).ifPresent(tasks::execute);
    }

    /** Returns the executions that wait for their turn, in order. */
    synchronized List<ExecutionId> waiting() {
        return List.copyOf(waiting.keySet());
    }

    private void beginNext() {
        replaying = null;
        waiting.keySet().stream().findFirst().ifPresent(next -> {
            begin(next);
            Optional.ofNullable(waiting.remove(next)).ifPresent(tasks::execute);
        });
    }
}
