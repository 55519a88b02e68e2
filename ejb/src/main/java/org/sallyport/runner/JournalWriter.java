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
import org.sallyport.journal.StoredPosition;

/**
 * Writes the journal entries of a run: after a short delay, before an effect is sent, and at the end. Retries while the
 * store is unavailable.
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
    private final String tenant;
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

    private final Instant acceptedAt;
    private final long startedNanos = System.nanoTime();

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
        this.tenant = claim.tenant();
        this.acceptedAt = claim.createdAt();
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

    /**
     * Writes the outcome. If the store fails to execute that, writes an internal error instead, and as the last resort
     * an internal error without the remaining entries.
     *
     * @param afterwards receives true when the end is written, false when it never will be
     */
    void finish(ExecutionOutcome outcome, Consumer<Boolean> afterwards) {
        Failpoint.ENDED.reached(fence);
        ExecutionOutcome failed =
                OutcomeMapper.failed(ErrorCode.INTERNAL_ERROR, "the outcome of the script could not be stored");
        Supplier<JournalBatch> rest = entries::takeUnwritten;
        AtomicBoolean complete = new AtomicBoolean();
        retry.later(
                List.of(
                        finishWrite(outcome, rest, () -> complete.set(true)),
                        finishWrite(failed, rest, () -> complete.set(true)),
                        finishWrite(failed, () -> JournalBatch.NONE, () -> complete.set(false))),
                ended -> {
                    ended.ifPresentOrElse(
                            state -> notifyFinished(state, complete.get()),
                            () -> LOG.log(
                                    Level.INFO,
                                    "execution {0} had ended or was claimed again before this run ended",
                                    fence));
                    afterwards.accept(ended.isPresent());
                },
                () -> afterwards.accept(false));
    }

    /** @param before called before each try */
    private StoreRetry.StoreWrite<Optional<ExecutionState>> finishWrite(
            ExecutionOutcome outcome, Supplier<JournalBatch> rest, Runnable before) {
        return new StoreRetry.StoreWrite<>(
                "execution " + fence + ": its end",
                () -> {
                    before.run();
                    return context.journal().finish(fence, outcome, rest.get());
                },
                Optional::isEmpty,
                () -> findOwnPosition()
                        .map(StoredPosition::state)
                        .filter(ExecutionState::isTerminal)
                        .map(Optional::of));
    }

    /** Returns how far the execution is stored; empty when another run has claimed it. */
    private Optional<StoredPosition> findOwnPosition() {
        return context.journal().findPosition(fence.id()).filter(position -> position.attempt() == fence.attempt());
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

    /**
     * Parks the execution.
     *
     * @param afterwards receives the result
     * @param onFailure called instead when the store fails to execute the write
     */
    void park(SuspendRequest parking, Consumer<SuspendRequest.SuspendResult> afterwards, Runnable onFailure) {
        JournalBatch batch = entries.takeWithState(ExecutionState.WAITING, fence.attempt());
        writeEndOfRun(
                () -> context.journal().park(fence, batch, parking),
                batch,
                SuspendRequest.SuspendResult.PARKED,
                afterwards,
                onFailure);
    }

    /**
     * Releases the execution.
     *
     * @param afterwards receives the result
     * @param onFailure called instead when the store fails to execute the write
     */
    void release(Consumer<ReleaseResult> afterwards, Runnable onFailure) {
        JournalBatch batch = entries.takeWithState(ExecutionState.PENDING, fence.attempt());
        writeEndOfRun(
                () -> context.journal().release(fence, batch), batch, ReleaseResult.RELEASED, afterwards, onFailure);
    }

    /**
     * Makes a write that ends the run without ending the execution.
     *
     * @param batch the entries that are written; the last event is the end of the run
     * @param done the only result that says that they were written
     */
    private <T> void writeEndOfRun(
            Supplier<T> write, JournalBatch batch, T done, Consumer<T> afterwards, Runnable onFailure) {
        long lastSeq = batch.events().get(batch.events().size() - 1).seq();
        retry.later(
                List.of(new StoreRetry.StoreWrite<T>(
                        "execution " + fence + ": its parking or release",
                        write,
                        result -> !result.equals(done),
                        () -> findOwnPosition()
                                .filter(position ->
                                        position.state() != ExecutionState.RUNNING && position.lastSeq() >= lastSeq)
                                .map(position -> done))),
                afterwards,
                onFailure);
    }
}
