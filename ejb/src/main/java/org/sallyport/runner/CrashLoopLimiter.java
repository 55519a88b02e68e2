package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Limits how many executions run on a node that has crashed repeatedly. At first one execution runs at a time, and is
 * marked as running alone; then the number of slots doubles every 30 seconds. An execution that makes its nodes crash
 * is so at some time the only one that can have done it. Thread-safe.
 */
final class CrashLoopLimiter {
    static final Duration DOUBLING_INTERVAL = Duration.ofSeconds(30);

    private static final Logger LOG = System.getLogger(CrashLoopLimiter.class.getName());

    private final Semaphore slots;
    private final int capacity;
    private final int crashLoopStarts;
    private final ExecutionStore store;
    private final ScheduledExecutorService scheduler;
    private final Executor tasks;

    /** Number of slots that executions may use. Guarded by this. */
    private int allowed;

    /**
     * @param slots the free slots of the node, all of its {@code capacity} at the moment
     * @param crashLoopStarts number of starts in a row without a clean stop at which the node begins with one slot
     * @param tasks runs the accesses to the store
     */
    CrashLoopLimiter(
            Semaphore slots,
            int capacity,
            int crashLoopStarts,
            ExecutionStore store,
            ScheduledExecutorService scheduler,
            Executor tasks) {
        this.slots = slots;
        this.capacity = capacity;
        this.crashLoopStarts = crashLoopStarts;
        this.store = store;
        this.scheduler = scheduler;
        this.tasks = tasks;
        this.allowed = capacity;
    }

    /**
     * Withholds all slots but one if the node has crashed repeatedly. Called before the node claims anything.
     *
     * @param uncleanStarts number of starts in a row that did not follow a clean stop, including this one
     * @param leaseOwner the lease owner under which the node begins to claim executions
     */
    synchronized void begin(int uncleanStarts, String leaseOwner) {
        if (uncleanStarts < crashLoopStarts || capacity == 1 || !slots.tryAcquire(capacity - 1)) {
            return;
        }
        allowed = 1;
        LOG.log(
                Level.WARNING,
                "this node was started {0} times without being stopped in between: it runs one execution at a time for"
                        + " {1} seconds, to find one that may be the cause",
                uncleanStarts,
                DOUBLING_INTERVAL.toSeconds());
        scheduleDoubling(leaseOwner);
    }

    private void scheduleDoubling(String leaseOwner) {
        scheduler.schedule(
                () -> tasks.execute(() -> allowMore(leaseOwner)), DOUBLING_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void allowMore(String leaseOwner) {
        if (allowed == 1 && !unmark(leaseOwner)) {
            scheduleDoubling(leaseOwner);
            return;
        }
        allow(Math.min(capacity, 2 * allowed));
        if (allowed < capacity) {
            scheduleDoubling(leaseOwner);
        }
    }

    private void allow(int number) {
        slots.release(number - allowed);
        allowed = number;
    }

    /** Revokes the mark of the running execution before another may run beside it. Returns whether that is stored. */
    private boolean unmark(String leaseOwner) {
        try {
            store.unmarkAlone(leaseOwner);
            return true;
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the node stays limited to one execution while the database is unavailable", e);
            return false;
        }
    }

    /** Marks an execution that was claimed and has not started yet, if the node runs no other one beside it. */
    synchronized void onClaimed(FencingToken fence) {
        if (allowed > 1) {
            return;
        }
        try {
            store.markAlone(fence);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "execution {0} could not be marked as running alone", fence);
        }
    }

    /** Records that a marked execution has replayed its journal: later losses are none of its replay. */
    synchronized void onReplayed(FencingToken fence) {
        if (allowed > 1) {
            return;
        }
        try {
            store.markReplayed(fence);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the end of the replay of execution {0} could not be recorded", fence);
        }
    }

    /** Stops withholding slots; called when the node claims nothing any more. */
    synchronized void end() {
        if (allowed < capacity) {
            allow(capacity);
        }
    }
}
