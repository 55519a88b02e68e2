package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.sallyport.execution.CompletionNotifier;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OrphanedExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;

/**
 * Recovers orphans, the executions whose node is gone: requeues them until they have lost too many nodes, and then
 * fails them. Only those losses count in which the execution was alone on its node, as {@link CrashLoopLimiter} makes
 * it: the others may have been caused by another execution. An execution whose nodes are lost while it replays its
 * journal fails sooner, because it makes no progress. Several nodes may do so at the same time.
 */
public final class OrphanRecovery {
    private static final Logger LOG = System.getLogger(OrphanRecovery.class.getName());
    private static final int BATCH_SIZE = 500;
    /** Number of lost nodes at which an execution fails, even if it was never alone on one of them. */
    static final int MAX_LOSSES = 100;
    /** Number of nodes lost during a replay, alone on the node, at which an execution fails. */
    static final int MAX_REPLAY_LOSSES = 2;

    private final ExecutionStore store;
    private final Journal journal;
    private final CompletionNotifier completions;
    private final int maxAttempts;

    /** @param maxAttempts number of runs alone on a node and lost with it at which the execution fails */
    public OrphanRecovery(ExecutionStore store, Journal journal, CompletionNotifier completions, int maxAttempts) {
        this.store = store;
        this.journal = journal;
        this.completions = completions;
        this.maxAttempts = maxAttempts;
    }

    /**
     * Recovers all executions held under expired leases. An execution that can continue becomes {@code PENDING}, and
     * its job is overdue at once.
     *
     * @param self the lease owner of this node
     */
    public void recoverOrphans(String self) {
        int found = BATCH_SIZE;
        for (int round = 0; round < 20 && found == BATCH_SIZE; round++) {
            List<OrphanedExecution> orphans = store.findOrphans(self, BATCH_SIZE);
            orphans.forEach(this::recover);
            found = orphans.size();
        }
        store.resumeOrphanedWaits(self, BATCH_SIZE);
    }

    private void recover(OrphanedExecution orphan) {
        FencingToken fence = orphan.fence();
        int losses = orphan.losses() + 1;
        int lossesAlone = orphan.lossesAlone() + (orphan.ranAlone() ? 1 : 0);
        if (orphan.cancelRequested()) {
            end(fence, new ExecutionOutcome.ExecutionCancelled());
        } else if (orphan.durability() == Durability.NONE) {
            failLost(
                    fence,
                    "the node that ran the script was lost, and with durability none the script is not run again");
        } else if (orphan.replayLosses() + (orphan.replayedAlone() ? 1 : 0) >= MAX_REPLAY_LOSSES) {
            fail(
                    fence,
                    ErrorCode.REPLAY_FAILED,
                    "its node was lost " + MAX_REPLAY_LOSSES + " times in a row while it replayed its journal and"
                            + " nothing else ran there; it is not run again");
        } else if (lossesAlone >= maxAttempts) {
            failLost(
                    fence,
                    "the script ran alone on a node that was lost, " + lossesAlone + " times, and is not run again");
        } else if (losses >= MAX_LOSSES) {
            failLost(fence, "the script ran " + losses + " times on a node that was lost, and is not run again");
        } else if (store.requeue(fence)) {
            LOG.log(Level.INFO, "execution {0} was on a node that is gone; it is requeued", fence);
        }
    }

    private void failLost(FencingToken fence, String message) {
        fail(fence, ErrorCode.RUNNER_LOST, message);
    }

    /** Fails an execution that no node runs, under the same condition as {@link #end}. */
    void fail(FencingToken fence, ErrorCode code, String message) {
        if (end(fence, OutcomeMapper.failed(code, message))) {
            LOG.log(Level.WARNING, "execution {0} has failed: {1}", fence, message);
        }
    }

    /**
     * Ends an execution that no node runs. Has no effect and returns false when another node has ended or claimed it
     * first.
     */
    boolean end(FencingToken fence, ExecutionOutcome outcome) {
        boolean ended = journal.finish(fence, outcome, JournalBatch.NONE).isPresent();
        if (ended) {
            completions.notifyEnded(fence.id());
        }
        return ended;
    }
}
