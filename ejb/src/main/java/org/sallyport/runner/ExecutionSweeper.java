package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.JobDispatcher;

/**
 * Finds what messages and memory lost: executions whose node is gone, jobs that nobody took, requests to cancel that were
 * not heard, executions whose runner forgot them. Each look is short and bounded; repeating one does no harm.
 */
public final class ExecutionSweeper {
    private static final Logger LOG = System.getLogger(ExecutionSweeper.class.getName());
    private static final int BATCH_SIZE = 500;
    /** Of what can wait for the next look. */
    private static final int REMINDER_BATCH_SIZE = 100;

    private static final int MAX_ROUNDS = 4;
    /** When so many wait for their turn, most are not lost but wait as well: a trickle is enough. */
    private static final int BACKLOG_THRESHOLD = 1_000;

    private static final int BACKLOG_BATCH_SIZE = 20;

    private static final Duration OVERDUE_RUN_GRACE = Duration.ofSeconds(10);

    private final ExecutionStore store;
    private final OrphanRecovery recovery;
    private final JobDispatcher dispatch;
    private final ExecutionRunner runner;
    private final ApprovalStore approvals;
    private final EventBus events;
    private final RetentionTask retention;
    private final Duration resendAfter;
    private boolean outageLogged;

    /** @param resend how long a job may stay unanswered */
    public ExecutionSweeper(
            ExecutionStore store,
            OrphanRecovery recovery,
            JobDispatcher dispatch,
            ExecutionRunner runner,
            ApprovalStore approvals,
            EventBus events,
            RetentionTask retention,
            Duration resend) {
        this.store = store;
        this.recovery = recovery;
        this.dispatch = dispatch;
        this.runner = runner;
        this.approvals = approvals;
        this.events = events;
        this.retention = retention;
        this.resendAfter = resend;
    }

    /** One look at everything, if this node has its lease. Called by one thread at a time. */
    public void sweep() {
        runner.leaseHolder().ifPresent(this::sweep);
    }

    private void sweep(String holder) {
        try {
            recovery.recoverOrphans(holder);
            resumeDueParked();
            startDue();
            store.grantTurns(BATCH_SIZE).forEach(dispatch::enqueue);
            approvals.sweep(BATCH_SIZE).forEach(dispatch::enqueue);
            runner.poll();
            resendLostJobs();
            store.findCancelRequests(holder).forEach(runner::cancel);
            endOverdueRuns();
            events.pollMissed();
            retention.purgeIfDue();
            sendReminders();
            outageLogged = false;
        } catch (StoreUnavailableException e) {
            if (!outageLogged) {
                LOG.log(Level.WARNING, "the database does not answer: {0}", e.getMessage());
                outageLogged = true;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a sweep failed; the next one tries again", e);
        }
    }

    /** Last of all: nothing else waits for it, nor fails with it. */
    private void sendReminders() {
        try {
            approvals.recordDueReminders(REMINDER_BATCH_SIZE);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "nobody was reminded of approvals; the next sweep tries again", e);
        }
    }

    /**
     * Lets parked executions go on, and others begin, whose time has come, if this node has its lease: who waits for a timer is
     * not to wait for the next sweep as well. Called by the thread that sweeps.
     *
     * @param within until the next sweep
     * @return how long until the next one's time, if that is before the next sweep
     */
    public Optional<Duration> resumeDue(Duration within) {
        if (runner.leaseHolder().isEmpty()) {
            return Optional.empty();
        }
        try {
            if (resumeDueParked()) {
                resendLostJobs();
            }
            startDue();
            return store.timeToNextResume(within);
        } catch (StoreUnavailableException e) {
            return Optional.empty(); // the next sweep complains
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "parked executions could not be woken; the next sweep tries again", e);
            return Optional.empty();
        }
    }

    /** Whether there are jobs now that are still to be sent: when many wait, they do so in the database, too, ahead of most. */
    private boolean resumeDueParked() {
        boolean few = dispatch.queuedCount() < BACKLOG_THRESHOLD;
        int woken = BATCH_SIZE;
        boolean any = false;
        for (int round = 0; round < MAX_ROUNDS && woken == BATCH_SIZE; round++) {
            List<ExecutionJob> jobs = store.resumeDue(BATCH_SIZE, few ? resendAfter : Duration.ZERO);
            if (few) {
                jobs.forEach(dispatch::enqueue);
            }
            woken = jobs.size();
            any |= woken > 0;
        }
        return any && !few;
    }

    /** What finds no room in the dispatch is overdue later, like all that was lost. */
    private void startDue() {
        int begun = BATCH_SIZE;
        for (int round = 0; round < MAX_ROUNDS && begun == BATCH_SIZE; round++) {
            List<ExecutionJob> jobs = store.dueStarts(BATCH_SIZE);
            jobs.forEach(dispatch::enqueue);
            begun = jobs.size();
        }
    }

    private void resendLostJobs() {
        int limit = dispatch.queuedCount() < BACKLOG_THRESHOLD ? BATCH_SIZE : BACKLOG_BATCH_SIZE;
        List<ExecutionJob> lost = store.overdueJobs(resendAfter, limit);
        if (!lost.isEmpty()) {
            LOG.log(Level.DEBUG, "sending {0} jobs again", lost.size());
            lost.forEach(dispatch::enqueue);
        }
    }

    private void endOverdueRuns() {
        for (FencingToken fence : store.findOverdueRuns(OVERDUE_RUN_GRACE, BATCH_SIZE)) {
            if (!runner.isRunning(fence.id())) {
                LOG.log(Level.WARNING, "execution {0} passed its limit and no runner ended it", fence);
                recovery.end(
                        fence,
                        new ExecutionOutcome.ExecutionTimedOut(org.sallyport.execution.ExecutionError.of(
                                ErrorCode.WALL_CLOCK_LIMIT, "the script did not end within its wall-clock limit")));
            }
        }
    }
}
