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
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Has the executions of bounded batches begin in their turn. The store decides which; what ends on this node makes it ask at
 * once, what ends elsewhere or was missed is found by the next look. Thread-safe.
 */
public final class BatchFlow {
    private static final Logger LOG = System.getLogger(BatchFlow.class.getName());
    private static final int AT_ONCE = 1_000;

    private final BatchStore store;
    private final JobDispatch dispatch;
    private final Executor executor;

    /** What this node has sent of bounded batches and not yet seen end. */
    private final Map<ExecutionId, BatchId> sent = new ConcurrentHashMap<>();

    /** Batches that are being moved on, and whether they must be once more. */
    private final Map<BatchId, Boolean> moving = new ConcurrentHashMap<>();

    /** How far the looks have come, and what they have found on the way; used by who looks alone. */
    private @Nullable BatchId looked;

    private final Set<BatchId> live = new HashSet<>();

    /** @param executor runs what waits for the store */
    public BatchFlow(BatchStore store, JobDispatch dispatch, Executor executor) {
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /** Sends what may run of a batch that was just stored. */
    void begin(NewBatch batch, List<PendingJob> jobs) {
        if (batch.maxParallel().isPresent()) {
            moveOn(batch.id());
        } else {
            jobs.forEach(dispatch::send);
        }
    }

    /** An execution has ended on this node. Never blocks. */
    public void ended(ExecutionId id) {
        BatchId batch = sent.remove(id);
        if (batch != null) {
            moveOn(batch);
        }
    }

    /** Looks for batches that nobody has moved on; each look goes on where the last has ended. Waits for the store. */
    public void look() {
        try {
            List<BatchId> advancing = store.advancing(Optional.ofNullable(looked), AT_ONCE);
            advancing.forEach(this::moveOn);
            live.addAll(advancing);
            if (advancing.size() == AT_ONCE) {
                looked = advancing.get(AT_ONCE - 1);
                return;
            }
            // What was sent of batches that have ended elsewhere.
            sent.values().retainAll(live);
            looked = null;
            live.clear();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "batches cannot be moved on now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batches could not be moved on; the next look tries again", e);
        }
    }

    private void moveOn(BatchId batch) {
        if (moving.merge(batch, false, (before, none) -> true)) {
            return; // Whoever is at it looks again.
        }
        try {
            executor.execute(() -> move(batch));
        } catch (RejectedExecutionException e) {
            moving.remove(batch); // The next start goes on.
        }
    }

    private void move(BatchId batch) {
        try {
            List<PendingJob> jobs = store.advance(batch);
            jobs.forEach(job -> sent.put(job.id(), batch));
            jobs.forEach(dispatch::send);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "a batch cannot be moved on now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batch " + batch + " could not be moved on; the next look tries again", e);
        } finally {
            if (moving.computeIfPresent(batch, (key, again) -> again ? false : null) != null) {
                executor.execute(() -> move(batch));
            }
        }
    }
}
