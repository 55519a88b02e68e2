package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.StoredPosition;

/**
 * Writes the end of a run: the end of its execution, its parking or its release. Includes the journal entries that are
 * not written yet. Repeats each write until the store answers.
 */
final class RunEndWriter {
    private static final Logger LOG = System.getLogger(RunEndWriter.class.getName());

    private final FencingToken fence;
    private final String tenant;
    private final EngineServices context;
    private final JournalBuffer entries;
    private final StoreRetry retry;
    private final Instant acceptedAt;
    private final long startedNanos = System.nanoTime();

    /** @param tasks runs work that may wait for the store, in order */
    RunEndWriter(ClaimedExecution claim, EngineServices context, JournalBuffer entries, Executor tasks) {
        this.fence = claim.fence();
        this.tenant = claim.tenant();
        this.context = context;
        this.entries = entries;
        this.retry = new StoreRetry(context.scheduler(), tasks);
        this.acceptedAt = claim.createdAt();
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
                    entries.close();
                    afterwards.accept(ended.isPresent());
                },
                () -> {
                    entries.close();
                    afterwards.accept(false);
                });
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
                result -> {
                    // Also if the run goes on to finish the execution: it adds only the ends of its open calls.
                    entries.close();
                    afterwards.accept(result);
                },
                onFailure);
    }
}
