package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Has the executions of bounded batches begin in their turn. The store decides which; what ends on this node makes it ask at
 * once, what ends elsewhere or was missed is found by the next look. Thread-safe.
 */
public final class BatchScheduler {
    private static final Logger LOG = System.getLogger(BatchScheduler.class.getName());
    private static final int PAGE_SIZE = 1_000;

    private final BatchStore store;
    private final JobDispatcher dispatch;
    private final Executor executor;

    /** What this node has sent of bounded batches and not yet seen end. */
    private final Map<ExecutionId, BatchId> batchOfSentExecution = new ConcurrentHashMap<>();

    /** Batches that are being moved on, and whether they must be once more. */
    private final Map<BatchId, Boolean> pendingAdvances = new ConcurrentHashMap<>();

    /** How far the looks have come, and what they have found on the way; used by who looks alone. */
    private @Nullable BatchId pollCursor;

    private final Set<BatchId> activeBatches = new HashSet<>();

    /** @param executor runs what waits for the store */
    public BatchScheduler(BatchStore store, JobDispatcher dispatch, Executor executor) {
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /** Sends what may run of a batch that was just stored. */
    void start(NewBatch batch, List<ExecutionJob> jobs) {
        if (batch.maxParallel().isPresent()) {
            scheduleAdvance(batch.id());
        } else {
            jobs.forEach(dispatch::enqueue);
        }
    }

    /** An execution has ended on this node. Never blocks. */
    public void onExecutionEnded(ExecutionId id) {
        BatchId batch = batchOfSentExecution.remove(id);
        if (batch != null) {
            scheduleAdvance(batch);
        }
    }

    /** Looks for batches that nobody has moved on; each look goes on where the last has ended. Waits for the store. */
    public void poll() {
        try {
            List<BatchId> advancing = store.listWithQueued(Optional.ofNullable(pollCursor), PAGE_SIZE);
            advancing.forEach(this::scheduleAdvance);
            activeBatches.addAll(advancing);
            if (advancing.size() == PAGE_SIZE) {
                pollCursor = advancing.get(PAGE_SIZE - 1);
                return;
            }
            // What was sent of batches that have ended elsewhere.
            batchOfSentExecution.values().retainAll(activeBatches);
            pollCursor = null;
            activeBatches.clear();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "batches cannot be moved on now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batches could not be moved on; the next look tries again", e);
        }
    }

    private void scheduleAdvance(BatchId batch) {
        if (pendingAdvances.merge(batch, false, (before, none) -> true)) {
            return; // Whoever is at it looks again.
        }
        try {
            executor.execute(() -> advance(batch));
        } catch (RejectedExecutionException e) {
            pendingAdvances.remove(batch); // The next start goes on.
        }
    }

    private void advance(BatchId batch) {
        try {
            List<ExecutionJob> jobs = store.admitNext(batch);
            jobs.forEach(job -> batchOfSentExecution.put(job.id(), batch));
            jobs.forEach(dispatch::enqueue);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "a batch cannot be moved on now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batch " + batch + " could not be moved on; the next look tries again", e);
        } finally {
            if (pendingAdvances.computeIfPresent(batch, (key, again) -> again ? false : null) != null) {
                executor.execute(() -> advance(batch));
            }
        }
    }
}
