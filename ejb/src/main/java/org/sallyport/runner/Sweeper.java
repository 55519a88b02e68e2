package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.sallyport.event.EventBus;
import org.sallyport.execution.Completions;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.submission.JobDispatch;

/**
 * Finds what messages and memory lost: jobs that nobody took, requests to cancel that were not heard, executions whose
 * runner forgot them. Each look is short and bounded; repeating one does no harm.
 */
public final class Sweeper {
    private static final Logger LOG = System.getLogger(Sweeper.class.getName());
    private static final int AT_ONCE = 500;
    /** When there is no free place the jobs are not lost but wait: a trickle is enough. */
    private static final int AT_ONCE_WHEN_BUSY = 20;

    private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

    private final ExecutionStore store;
    private final Journal journal;
    private final JobDispatch dispatch;
    private final Runner runner;
    private final Completions completions;
    private final Events events;
    private final String node;
    private final Duration resend;
    private boolean complained;

    /**
     * The tenants' events.
     *
     * @param bus whom to wake when a word was lost
     * @param kept how long events are kept
     */
    public record Events(EventBus bus, Duration kept) {}

    /**
     * @param node the incarnation of this node
     * @param resend how long a job may stay unanswered
     */
    public Sweeper(
            ExecutionStore store,
            Journal journal,
            JobDispatch dispatch,
            Runner runner,
            Completions completions,
            Events events,
            String node,
            Duration resend) {
        this.store = store;
        this.journal = journal;
        this.dispatch = dispatch;
        this.runner = runner;
        this.completions = completions;
        this.events = events;
        this.node = node;
        this.resend = resend;
    }

    /** One look at everything. Called by one thread at a time. */
    public void sweep() {
        try {
            resendLostJobs();
            store.cancelRequests(node).forEach(runner::cancel);
            endForgottenRuns();
            events.bus().lookAgain();
            events.bus().purge(events.kept(), AT_ONCE);
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

    private void resendLostJobs() {
        int limit = runner.freePlaces() > 0 ? AT_ONCE : AT_ONCE_WHEN_BUSY;
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
                end(
                        fence,
                        new Outcome.TimedOut(org.sallyport.execution.ExecutionError.of(
                                ErrorCode.WALL_CLOCK_LIMIT, "the script did not end within its wall-clock limit")));
            }
        }
    }

    /**
     * Ends what earlier lives of this node left running: nobody else will. Until executions can be resumed, lost is what
     * they are.
     */
    public void endOrphans(String nodeId) {
        List<Fence> orphans = store.orphans(nodeId, node, AT_ONCE);
        while (!orphans.isEmpty()) {
            for (Fence fence : orphans) {
                LOG.log(Level.WARNING, "execution {0} was running when this node stopped", fence);
                end(
                        fence,
                        Outcomes.failed(
                                ErrorCode.RUNNER_LOST, "the node that ran the script stopped before the script ended"));
            }
            orphans = store.orphans(nodeId, node, AT_ONCE);
        }
    }

    private void end(Fence fence, Outcome outcome) {
        if (journal.finish(fence, outcome, Entries.NONE).isPresent()) {
            completions.ended(fence.id());
        }
    }
}
