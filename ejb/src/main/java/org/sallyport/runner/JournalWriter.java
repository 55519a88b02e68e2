package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Durability;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.JournalBatch;

/**
 * Writes the journal entries of a running script: after a short delay, and before an effect is sent. Retries while the
 * store is unavailable. {@link RunEndWriter} writes the last entries.
 */
final class JournalWriter {
    private static final Logger LOG = System.getLogger(JournalWriter.class.getName());
    /**
     * Limits how often a flush waits for undecided calls: a script may make calls faster than they are decided, and its
     * entries must be written nevertheless.
     */
    private static final int MAX_FLUSH_DEFERRALS = 10;
    /** How often a flush is tried that the store fails to execute. */
    private static final int MAX_FLUSH_TRIES = 3;

    private final FencingToken fence;
    private final boolean durable;
    private final EngineServices context;
    private final JournalBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier runEnded;
    private final Runnable onOwnershipLost;
    private final Runnable onFault;
    private final StoreRetry retry;
    private final AtomicBoolean flushDue = new AtomicBoolean();
    /** How often the pending flush was deferred. Accessed by {@code tasks} only. */
    private int flushDeferrals;
    /** How often in a row the store failed to execute a flush. Accessed by {@code tasks} only. */
    private int flushFaults;

    /** Called after each write of a running script. */
    private volatile Runnable onWritten = () -> {};

    /**
     * @param tasks runs work that may wait for the store, in order
     * @param runEnded returns whether the run has ended, so that nothing may be sent any more
     * @param taken called when another node owns the execution
     * @param faultListener called when the store fails to execute the writes of a running script, so that the script
     *     must stop
     */
    JournalWriter(
            ClaimedExecution claim,
            EngineServices context,
            JournalBuffer entries,
            Executor tasks,
            BooleanSupplier runEnded,
            Runnable taken,
            Runnable faultListener) {
        this.fence = claim.fence();
        this.durable = claim.durability() == Durability.JOURNAL;
        this.context = context;
        this.entries = entries;
        this.tasks = tasks;
        this.runEnded = runEnded;
        this.onOwnershipLost = taken;
        this.onFault = faultListener;
        this.retry = new StoreRetry(context.scheduler(), tasks);
    }

    /** Sets what is called after each write of a running script. It must not wait. */
    void setWrittenListener(Runnable listener) {
        onWritten = listener;
    }

    /** Schedules a write after the flush interval. It includes all entries added until then. */
    void scheduleFlush() {
        if (flushDue.compareAndSet(false, true)) {
            context.scheduler()
                    .schedule(
                            () -> tasks.execute(this::flush),
                            context.limits().flushInterval().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void flush() {
        flushDue.set(false);
        if (runEnded.getAsBoolean()) {
            return; // the final commit writes the remaining entries
        }
        if (!entries.allCallsDecided() && ++flushDeferrals < MAX_FLUSH_DEFERRALS) {
            scheduleFlush();
            return;
        }
        flushDeferrals = 0;
        try {
            write();
            flushFaults = 0;
        } catch (StoreUnavailableException e) {
            repeatFlush();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": its journal could not be stored", e);
            flushFaults++;
            if (flushFaults < MAX_FLUSH_TRIES) {
                repeatFlush();
            } else {
                onFault.run();
            }
        }
    }

    private void repeatFlush() {
        if (flushDue.compareAndSet(false, true)) {
            retry.runAfterPause(this::flush);
        }
    }

    /**
     * Stores all earlier entries before an effect is sent. Returns false when the effect must not be sent. Waits for
     * the store. If the store fails to execute the write, the script is stopped.
     */
    boolean flushBeforeEffect() {
        return durable ? flushUntilStored() : !runEnded.getAsBoolean();
    }

    /**
     * Like {@link #flushBeforeEffect}, but stores the entries at any durability: policy rules for a nested execution
     * look at the calls of the executions above it.
     */
    boolean flushBeforeNesting() {
        return flushUntilStored();
    }

    private boolean flushUntilStored() {
        try {
            return StoreRetry.callDespiteFaults(this::write, runEnded).orElse(false);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": its journal could not be stored before an effect", e);
            onFault.run();
            return false;
        }
    }

    private boolean write() {
        JournalBatch unwritten = entries.takeUnwritten();
        if (entries.isEmpty() && unwritten.isEmpty()) {
            return true;
        }
        if (!context.journal().append(fence, unwritten)) {
            LOG.log(Level.INFO, "execution {0} is held by another run now; this run stops", fence);
            onOwnershipLost.run();
            return false;
        }
        entries.markWritten();
        onWritten.run();
        return true;
    }
}
