package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.SuspendRequest;

/**
 * Ends a run whose execution has not ended: parks the execution, releases it for another node, or restarts it on this
 * node. If the execution can be neither parked nor released, the run finishes it. Used by the tasks of the run.
 */
final class RunRelease {
    private static final Logger LOG = System.getLogger(RunRelease.class.getName());
    private static final Duration STALLED_NODE_GRACE = Duration.ofSeconds(5);

    private final ExecutionId id;
    private final StartedRun run;
    private final EngineServices context;
    private final Executor tasks;
    private final ExecutionRun.RunListener runListener;
    private final Consumer<ExecutionOutcome> finish;

    /**
     * @param tasks runs work that may wait for the store, in order
     * @param finish ends the execution with the outcome
     */
    RunRelease(
            ExecutionId id,
            StartedRun run,
            EngineServices context,
            Executor tasks,
            ExecutionRun.RunListener runListener,
            Consumer<ExecutionOutcome> finish) {
        this.id = id;
        this.run = run;
        this.context = context;
        this.tasks = tasks;
        this.runListener = runListener;
        this.finish = finish;
    }

    /**
     * Releases the execution after the replies to its sent effects are journaled: the next run could not ask for them
     * again.
     *
     * @param timeout the longest wait for the replies
     */
    void release(Duration timeout) {
        run.calls()
                .effectsAnswered(timeout)
                .thenRun(() -> tasks.execute(() -> {
                    run.calls().journalReplies();
                    run.endWriter().release(result -> handleReleaseResult(result, this::leave), this::fail);
                }));
    }

    private void handleReleaseResult(ReleaseResult result, Runnable then) {
        switch (result) {
            case RELEASED -> then.run();
            case CANCEL_REQUESTED -> finish.accept(new ExecutionOutcome.ExecutionCancelled());
            case LOST -> leave();
        }
    }

    /** Ends the run of an execution that any node may continue, or that another one has already. */
    private void leave() {
        run.calls().clear();
        runListener.onReleased();
    }

    private void fail() {
        finish.accept(OutcomeMapper.failed(
                ErrorCode.INTERNAL_ERROR, "the execution could not be stored when its run was interrupted"));
    }

    /**
     * Releases the execution and restarts it here, because it lost its worker, because a condition it was to be parked
     * for is already satisfied, or because it must stay on this node for one.
     */
    void restart(WorkerLossPolicy next) {
        run.calls().journalReplies(); // this node may be about to stop
        run.endWriter()
                .release(
                        result -> handleReleaseResult(
                                result,
                                () -> runListener.onRetry(next, run.calls().inFlight())),
                        this::fail);
    }

    /**
     * Parks the execution.
     *
     * @param next policy of the next run, if a condition of {@code waits} is already satisfied
     */
    void park(WaitConditions waits, WorkerLossPolicy next) {
        Duration maxWait = context.limits().maxParked();
        Instant now = context.clock().instant();
        Optional<Duration> tooLong = waits.excessiveWait(maxWait, now);
        if (tooLong.isPresent()) {
            finish.accept(OutcomeMapper.waitTooLong(tooLong.get(), maxWait));
        } else if (waits.replies().isEmpty()) {
            run.endWriter()
                    .park(
                            waits.suspendRequest(maxWait, now),
                            answer -> handleParkResult(answer, next, () -> {
                                leave();
                                if (waits.approvalExpiry().isPresent()) {
                                    resumeIfDecided();
                                }
                            }),
                            this::fail);
        } else {
            parkOnThisNode(waits, next);
        }
    }

    /**
     * Parks the execution on this node, which receives the tool replies and resumes it. Other nodes resume it if this
     * node is gone or stalls.
     */
    private void parkOnThisNode(WaitConditions waits, WorkerLossPolicy next) {
        Duration wall = Duration.ofMillis(Math.max(0, run.deadline().getDelay(TimeUnit.MILLISECONDS)));
        Duration wait = waits.timer().isZero() || wall.compareTo(waits.timer()) < 0 ? wall : waits.timer();
        ParkedRun dormant = new ParkedRun(run.claim().fence(), run.calls().inFlight(), wait);
        run.endWriter()
                .park(
                        waits.suspendRequestOnThisNode(run.leaseOwner(), wait.plus(STALLED_NODE_GRACE)),
                        answer -> handleParkResult(answer, next, () -> {
                            run.calls().clear();
                            runListener.onParked(dormant);
                        }),
                        this::fail);
    }

    private void handleParkResult(SuspendRequest.SuspendResult answer, WorkerLossPolicy next, Runnable then) {
        switch (answer) {
            case PARKED -> then.run();
            case EVENT_IS_THERE -> restart(next);
            case CANCEL_REQUESTED -> finish.accept(new ExecutionOutcome.ExecutionCancelled());
            case LOST -> leave();
        }
    }

    /** Resumes the execution if approvers decided while it was being parked: such a decision does not wake it. */
    private void resumeIfDecided() {
        try {
            context.approvals().resumeIfDecided(id);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "execution {0} could not be resumed; the sweeper resumes it: {1}", id, e.getMessage());
        }
    }
}
