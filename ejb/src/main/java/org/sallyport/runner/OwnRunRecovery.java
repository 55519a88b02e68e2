package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Predicate;
import org.sallyport.cache.RecentEntries;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OwnedRun;

/**
 * Recovers executions that this node holds but does not run, for example because the database did not answer their
 * claim. They are requeued, and no loss of a node is counted. Must be used by one thread at a time.
 */
final class OwnRunRecovery {
    private static final Logger LOG = System.getLogger(OwnRunRecovery.class.getName());
    /** How often this process requeues an execution before it fails it. */
    private static final int MAX_REQUEUES = 3;
    /** After so many attempts without a requeue, an execution counts as one that was never requeued. */
    private static final int ATTEMPTS_UNTIL_RESET = 10;

    private static final int MAX_COUNTED_EXECUTIONS = 10_000;

    private final ExecutionStore store;
    private final OrphanRecovery orphanRecovery;
    private final Predicate<ExecutionId> isRunning;
    private final RecentEntries<ExecutionId, RequeueCount> requeueCounts = new RecentEntries<>(MAX_COUNTED_EXECUTIONS);

    /** @param attempt the attempt whose run was missing at the last requeue */
    private record RequeueCount(int requeues, int attempt) {}

    /**
     * @param orphanRecovery ends executions that cannot run again
     * @param isRunning returns whether this node runs an execution, from before its claim until after its last write
     */
    OwnRunRecovery(ExecutionStore store, OrphanRecovery orphanRecovery, Predicate<ExecutionId> isRunning) {
        this.store = store;
        this.orphanRecovery = orphanRecovery;
        this.isRunning = isRunning;
    }

    /**
     * Recovers all executions that {@code leaseOwner} holds and this node does not run. An execution that can continue
     * becomes {@code PENDING}, and its job is overdue at once.
     *
     * @param leaseOwner the current lease owner of this node
     */
    void recover(String leaseOwner) {
        // The store is asked first. A run that begins later is not in the list, and a run that ends meanwhile changes
        // its row, so that the writes below have no effect.
        List<OwnedRun> owned = store.findOwnedRuns(leaseOwner);
        owned.stream().filter(run -> !isRunning.test(run.fence().id())).forEach(this::recover);
    }

    private void recover(OwnedRun run) {
        FencingToken fence = run.fence();
        int requeues = countRequeues(fence);
        if (run.cancelRequested()) {
            orphanRecovery.end(fence, new ExecutionOutcome.ExecutionCancelled());
        } else if (run.durability() == Durability.NONE) {
            orphanRecovery.fail(
                    fence,
                    ErrorCode.RUNNER_LOST,
                    "the node that claimed the script does not run it, and with durability none the script is not run"
                            + " again");
        } else if (requeues >= MAX_REQUEUES) {
            orphanRecovery.fail(
                    fence,
                    ErrorCode.INTERNAL_ERROR,
                    "the node claimed the script " + (requeues + 1) + " times and did not run it");
        } else if (store.requeueOwn(fence)) {
            requeueCounts.put(fence.id(), new RequeueCount(requeues + 1, fence.attempt()));
            LOG.log(Level.WARNING, "execution {0} is held by this node, which does not run it; it is requeued", fence);
        }
    }

    /** Returns the number of recent requeues: an execution that is often resumed may be requeued again and again. */
    private int countRequeues(FencingToken fence) {
        RequeueCount earlier = requeueCounts.get(fence.id());
        return earlier == null || fence.attempt() - earlier.attempt() > ATTEMPTS_UNTIL_RESET ? 0 : earlier.requeues();
    }
}
