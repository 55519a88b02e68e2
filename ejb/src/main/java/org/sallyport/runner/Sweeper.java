package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.JobDispatch;

/**
 * Finds what messages and memory lost: executions whose node is gone, jobs that nobody took, requests to cancel that were
 * not heard, executions whose runner forgot them. Each look is short and bounded; repeating one does no harm.
 */
public final class Sweeper {
    private static final Logger LOG = System.getLogger(Sweeper.class.getName());
    private static final int AT_ONCE = 500;
    /** Of what can wait for the next look. */
    private static final int REMINDED_AT_ONCE = 100;

    private static final int ROUNDS = 4;
    /** When so many wait for their turn, most are not lost but wait as well: a trickle is enough. */
    private static final int FEW = 1_000;

    private static final int AT_ONCE_WHEN_MANY = 20;

    private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

    private final ExecutionStore store;
    private final Recovery recovery;
    private final JobDispatch dispatch;
    private final Runner runner;
    private final ApprovalStore approvals;
    private final EventBus events;
    private final Retention retention;
    private final Duration resend;
    private boolean complained;

    /** @param resend how long a job may stay unanswered */
    public Sweeper(
            ExecutionStore store,
            Recovery recovery,
            JobDispatch dispatch,
            Runner runner,
            ApprovalStore approvals,
            EventBus events,
            Retention retention,
            Duration resend) {
        this.store = store;
        this.recovery = recovery;
        this.dispatch = dispatch;
        this.runner = runner;
        this.approvals = approvals;
        this.events = events;
        this.retention = retention;
        this.resend = resend;
    }

    /** One look at everything, if this node has its lease. Called by one thread at a time. */
    public void sweep() {
        runner.holder().ifPresent(this::sweep);
    }

    private void sweep(String holder) {
        try {
            recovery.look(holder);
            wakeParked();
            beginDue();
            store.passTurns(AT_ONCE).forEach(dispatch::send);
            approvals.sweep(AT_ONCE).forEach(dispatch::send);
            runner.look();
            resendLostJobs();
            store.cancelRequests(holder).forEach(runner::cancel);
            endForgottenRuns();
            events.lookAgain();
            retention.look();
            remind();
            complained = false;
        } catch (StoreUnavailableException e) {
            if (!complained) {
                LOG.log(Level.WARNING, "the database does not answer: {0}", e.getMessage());
                complained = true;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a sweep failed; the next one tries again", e);
        }
    }

    /** Last of all: nothing else waits for it, nor fails with it. */
    private void remind() {
        try {
            approvals.remind(REMINDED_AT_ONCE);
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
    public Optional<Duration> wake(Duration within) {
        if (runner.holder().isEmpty()) {
            return Optional.empty();
        }
        try {
            if (wakeParked()) {
                resendLostJobs();
            }
            beginDue();
            return store.nextWake(within);
        } catch (StoreUnavailableException e) {
            return Optional.empty(); // the next sweep complains
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "parked executions could not be woken; the next sweep tries again", e);
            return Optional.empty();
        }
    }

    /** Whether there are jobs now that are still to be sent: when many wait, they do so in the database, too, ahead of most. */
    private boolean wakeParked() {
        boolean few = dispatch.held() < FEW;
        int woken = AT_ONCE;
        boolean any = false;
        for (int round = 0; round < ROUNDS && woken == AT_ONCE; round++) {
            List<PendingJob> jobs = store.wake(AT_ONCE, few ? resend : Duration.ZERO);
            if (few) {
                jobs.forEach(dispatch::send);
            }
            woken = jobs.size();
            any |= woken > 0;
        }
        return any && !few;
    }

    /** What finds no room in the dispatch is overdue later, like all that was lost. */
    private void beginDue() {
        int begun = AT_ONCE;
        for (int round = 0; round < ROUNDS && begun == AT_ONCE; round++) {
            List<PendingJob> jobs = store.starts(AT_ONCE);
            jobs.forEach(dispatch::send);
            begun = jobs.size();
        }
    }

    private void resendLostJobs() {
        int limit = dispatch.held() < FEW ? AT_ONCE : AT_ONCE_WHEN_MANY;
        List<PendingJob> lost = store.overdueJobs(resend, limit);
        if (!lost.isEmpty()) {
            LOG.log(Level.DEBUG, "sending {0} jobs again", lost.size());
            lost.forEach(dispatch::send);
        }
    }

    private void endForgottenRuns() {
        for (Fence fence : store.overdueRuns(FORGOTTEN_AFTER, AT_ONCE)) {
            if (!runner.holds(fence.id())) {
                LOG.log(Level.WARNING, "execution {0} passed its limit and no runner ended it", fence);
                recovery.end(
                        fence,
                        new Outcome.TimedOut(org.sallyport.execution.ExecutionError.of(
                                ErrorCode.WALL_CLOCK_LIMIT, "the script did not end within its wall-clock limit")));
            }
        }
    }
}
