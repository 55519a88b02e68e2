package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.sallyport.execution.Completions;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Orphan;
import org.sallyport.execution.Outcome;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;

/**
 * Sees to executions whose node is gone: they go back to the queue, until their nodes have died of them too often. Any
 * number of nodes may do so at the same time.
 */
public final class Recovery {
    private static final Logger LOG = System.getLogger(Recovery.class.getName());
    private static final int AT_ONCE = 500;

    private final ExecutionStore store;
    private final Journal journal;
    private final Completions completions;
    private final int maxAttempts;

    /** @param maxAttempts runs of one execution that may be lost with their nodes */
    public Recovery(ExecutionStore store, Journal journal, Completions completions, int maxAttempts) {
        this.store = store;
        this.journal = journal;
        this.completions = completions;
        this.maxAttempts = maxAttempts;
    }

    /**
     * One look at all that is held under leases that have ended. What can go on is {@code PENDING} afterwards, its job
     * overdue at once.
     *
     * @param self the holder of this node's own lease
     */
    public void look(String self) {
        int found = AT_ONCE;
        for (int round = 0; round < 20 && found == AT_ONCE; round++) {
            List<Orphan> orphans = store.orphans(self, AT_ONCE);
            orphans.forEach(this::recover);
            found = orphans.size();
        }
        store.wakeLost(self, AT_ONCE);
    }

    private void recover(Orphan orphan) {
        Fence fence = orphan.fence();
        int lost = orphan.lostRuns() + 1;
        if (orphan.cancelRequested()) {
            end(fence, new Outcome.Cancelled());
        } else if (orphan.durability() == Durability.NONE) {
            lost(fence, "the node that ran the script was lost, and with durability none the script is not run again");
        } else if (lost >= maxAttempts) {
            lost(fence, "the script ran " + lost + " times on a node that was lost, and is not run again");
        } else if (store.requeue(fence)) {
            LOG.log(Level.INFO, "execution {0} was on a node that is gone; it waits to go on", fence);
        }
    }

    private void lost(Fence fence, String message) {
        LOG.log(Level.WARNING, "execution {0} has failed: {1}", fence, message);
        end(fence, Outcomes.failed(ErrorCode.RUNNER_LOST, message));
    }

    /** Ends what nobody has in hands; nothing when somebody else was first. */
    void end(Fence fence, Outcome outcome) {
        if (journal.finish(fence, outcome, Entries.NONE).isPresent()) {
            completions.ended(fence.id());
        }
    }
}
