package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.JobDispatcher;

/**
 * Finds work that lost messages or lost memory left behind: orphans, jobs that no node claimed, cancel requests that no
 * runner received, and executions that this node holds but does not run. Each sweep is short and bounded, and repeating
 * one is harmless.
 */
public final class ExecutionSweeper {
    private static final Logger LOG = System.getLogger(ExecutionSweeper.class.getName());
    private static final int BATCH_SIZE = 500;
    /** Batch size of reminders, which can wait for the next sweep. */
    private static final int REMINDER_BATCH_SIZE = 100;

    private static final int MAX_ROUNDS = 4;
    /**
     * At this number of queued jobs, most overdue jobs are not lost but still queued, so only a small batch is sent
     * again.
     */
    private static final int BACKLOG_THRESHOLD = 1_000;

    private static final int BACKLOG_BATCH_SIZE = 20;

    /** One of this many sweeps recovers the executions that this node holds but does not run. */
    private static final int OWN_RUNS_PERIOD = 4;

    private final ExecutionStore store;
    private final OrphanRecovery recovery;
    private final OwnRunRecovery ownRuns;
    private final JobDispatcher dispatch;
    private final ExecutionRunner runner;
    private final ApprovalStore approvals;
    private final EventBus events;
    private final RetentionTask retention;
    private final Duration resendAfter;
    private int sweepCount;
    private boolean outageLogged;

    /** @param resend how long a job may be unclaimed before it is sent again */
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
        this.ownRuns = new OwnRunRecovery(store, recovery, runner::isRunning);
        this.dispatch = dispatch;
        this.runner = runner;
        this.approvals = approvals;
        this.events = events;
        this.retention = retention;
        this.resendAfter = resend;
    }

    /** Runs one sweep if this node holds its lease. Must be called by one thread at a time. */
    public void sweep() {
        runner.leaseOwner().ifPresent(this::sweep);
    }

    private void sweep(String leaseOwner) {
        try {
            recovery.recoverOrphans(leaseOwner);
            resumeDueParked();
            startDue();
            store.grantTurns(BATCH_SIZE).forEach(dispatch::enqueue);
            approvals.sweep(BATCH_SIZE).forEach(dispatch::enqueue);
            runner.poll();
            resendLostJobs();
            store.findCancelRequests(leaseOwner).forEach(runner::cancel);
            recoverOwnRuns(leaseOwner);
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

    /** Runs last, so that nothing else waits for it or fails with it. */
    private void sendReminders() {
        try {
            approvals.recordDueReminders(REMINDER_BATCH_SIZE);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "reminders of approvals could not be recorded; the next sweep tries again", e);
        }
    }

    /**
     * Resumes parked executions and starts delayed ones that are due, if this node holds its lease. A timer thus need
     * not wait for the next sweep. Must be called by the sweeping thread.
     *
     * @param within time until the next sweep
     * @return time until the next execution is due; empty if it is due after the next sweep
     */
    public Optional<Duration> resumeDue(Duration within) {
        if (runner.leaseOwner().isEmpty()) {
            return Optional.empty();
        }
        try {
            if (resumeDueParked()) {
                resendLostJobs();
            }
            startDue();
            return store.timeToNextResume(within);
        } catch (StoreUnavailableException e) {
            return Optional.empty(); // the next sweep logs the outage
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "parked executions could not be resumed; the next sweep tries again", e);
            return Optional.empty();
        }
    }

    /**
     * Resumes parked executions that are due. While the dispatcher has a backlog, their jobs are not enqueued but
     * become overdue in the database at once, ahead of most others. Returns whether there are such jobs to send.
     */
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

    /**
     * Starts delayed executions that are due. A job that the dispatcher cannot queue becomes overdue later, like a lost
     * one.
     */
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

    private void recoverOwnRuns(String leaseOwner) {
        if (sweepCount % OWN_RUNS_PERIOD == 0) {
            ownRuns.recover(leaseOwner);
        }
        sweepCount++;
    }
}
