package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.JournalBatch;

/**
 * Writes the journal entries of a run: after a short delay, before an effect is sent, and at the end. Retries while the
 * store is unavailable.
 */
final class JournalWriter {
    private static final Logger LOG = System.getLogger(JournalWriter.class.getName());
    private static final long RETRY_MILLIS = 500;
    /**
     * Limits how often a flush waits for undecided calls: a script may make calls faster than they are decided, and its
     * entries must be written nevertheless.
     */
    private static final int MAX_FLUSH_DEFERRALS = 10;

    private final FencingToken fence;
    private final String tenant;
    private final boolean durable;
    private final EngineServices context;
    private final JournalBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier runEnded;
    private final Runnable onOwnershipLost;
    private final AtomicBoolean flushDue = new AtomicBoolean();
    /** How often the pending flush was deferred. Accessed by {@code tasks} only. */
    private int flushDeferrals;

    private final Instant acceptedAt;
    private final long startedNanos = System.nanoTime();

    /**
     * @param tasks runs work that may wait for the store, in order
     * @param runEnded returns whether the run has ended, so that nothing may be sent any more
     * @param taken called when another node owns the execution
     */
    JournalWriter(
            ClaimedExecution claim,
            EngineServices context,
            JournalBuffer entries,
            Executor tasks,
            BooleanSupplier runEnded,
            Runnable taken) {
        this.fence = claim.fence();
        this.tenant = claim.tenant();
        this.acceptedAt = claim.createdAt();
        this.durable = claim.durability() == Durability.JOURNAL;
        this.context = context;
        this.entries = entries;
        this.tasks = tasks;
        this.runEnded = runEnded;
        this.onOwnershipLost = taken;
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
        } catch (StoreUnavailableException e) {
            scheduleFlush();
        }
    }

    /**
     * Stores all earlier entries before an effect is sent. Returns false when the effect must not be sent. Waits for
     * the store.
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
        while (!runEnded.getAsBoolean()) {
            try {
                return write();
            } catch (StoreUnavailableException e) {
                if (!pauseBeforeRetry()) {
                    return false;
                }
            }
        }
        return false;
    }

    /**
     * Waits before the next attempt to reach the store. Returns false when the thread was interrupted and the caller
     * must stop waiting.
     */
    static boolean pauseBeforeRetry() {
        try {
            Thread.sleep(RETRY_MILLIS);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
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
        return true;
    }

    /**
     * Writes the outcome. If the store rejects it, writes an internal error instead, and as the last resort an internal
     * error without the remaining entries.
     *
     * @param afterwards receives true when the end is written, false when it never will be
     */
    void finish(ExecutionOutcome outcome, Consumer<Boolean> afterwards) {
        Failpoint.ENDED.reached(fence);
        ExecutionOutcome failed =
                OutcomeMapper.failed(ErrorCode.INTERNAL_ERROR, "the outcome of the script could not be stored");
        Supplier<JournalBatch> rest = entries::takeUnwritten;
        finish(
                List.of(
                        new FinishAttempt(outcome, rest, true),
                        new FinishAttempt(failed, rest, true),
                        new FinishAttempt(failed, () -> JournalBatch.NONE, false)),
                afterwards);
    }

    /**
     * One outcome to write, with the entries that precede it.
     *
     * @param complete whether all entries are written, also the blocked attempts
     */
    private record FinishAttempt(ExecutionOutcome outcome, Supplier<JournalBatch> entries, boolean complete) {}

    /** @param ways tried in order until the store accepts one */
    private void finish(List<FinishAttempt> ways, Consumer<Boolean> afterwards) {
        FinishAttempt end = ways.get(0);
        boolean written = false;
        try {
            Optional<ExecutionState> ended =
                    context.journal().finish(fence, end.outcome(), end.entries().get());
            ended.ifPresent(state -> notifyFinished(state, end.complete()));
            written = ended.isPresent();
            if (!written) {
                LOG.log(Level.INFO, "execution {0} had ended or was claimed again before this run ended", fence);
            }
        } catch (StoreUnavailableException e) {
            // The outcome exists only in memory: retry for as long as this node lives.
            scheduleRetry(() -> finish(ways, afterwards));
            return;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": its outcome could not be stored", e);
            if (ways.size() > 1) {
                finish(ways.subList(1, ways.size()), afterwards);
                return;
            }
        }
        afterwards.accept(written);
    }

    /** @param attemptsStored whether the execution has the blocked attempts, so that log and metric do not differ */
    private void notifyFinished(ExecutionState state, boolean attemptsStored) {
        context.metricsListener()
                .observer()
                .onExecutionFinished(
                        state,
                        Duration.between(acceptedAt, context.clock().instant()),
                        Duration.ofNanos(System.nanoTime() - startedNanos));
        BlockedAttempts attempts = entries.blockedAttempts();
        if (attemptsStored && !attempts.isEmpty()) {
            context.metricsListener().attemptLog().logAttempts(tenant, fence.id(), attempts);
            context.metricsListener().observer().onAttemptsBlocked(attempts);
        }
    }

    /** Parks the execution. {@code afterwards} receives the result. */
    void park(SuspendRequest parking, Consumer<SuspendRequest.SuspendResult> afterwards) {
        writeUntilStored(
                () -> context.journal()
                        .park(fence, entries.takeWithState(ExecutionState.WAITING, fence.attempt()), parking),
                SuspendRequest.SuspendResult.LOST,
                afterwards);
    }

    /** Releases the execution. {@code afterwards} receives whether that succeeded. */
    void release(Consumer<Boolean> afterwards) {
        writeUntilStored(
                () -> context.journal().release(fence, entries.takeWithState(ExecutionState.PENDING, fence.attempt()))
                        == ReleaseResult.RELEASED,
                false,
                afterwards);
    }

    private <T> void writeUntilStored(Supplier<T> write, T failed, Consumer<T> afterwards) {
        T left = failed;
        try {
            left = write.get();
        } catch (StoreUnavailableException e) {
            scheduleRetry(() -> writeUntilStored(write, failed, afterwards));
            return;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": it could not be parked or released", e);
        }
        afterwards.accept(left);
    }

    private void scheduleRetry(Runnable work) {
        context.scheduler().schedule(() -> tasks.execute(work), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
}
