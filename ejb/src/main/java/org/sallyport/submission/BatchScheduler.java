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
import org.sallyport.failpoint.Failpoint;

/**
 * Starts the executions of batches and keeps each batch within its parallelism. The store decides which executions
 * start next. The end of an execution on this node advances its batch immediately; {@link #poll} finds batches whose
 * executions ended on other nodes, and those that were missed. Thread-safe.
 */
public final class BatchScheduler {
    private static final Logger LOG = System.getLogger(BatchScheduler.class.getName());
    private static final int PAGE_SIZE = 1_000;

    private final BatchStore store;
    private final JobDispatcher dispatch;
    private final Executor executor;

    /** Executions of bounded batches that this node has sent and has not yet seen end. */
    private final Map<ExecutionId, BatchId> batchOfSentExecution = new ConcurrentHashMap<>();

    /** Batches that are being advanced; the value says whether they must be advanced once more. */
    private final Map<BatchId, Boolean> pendingAdvances = new ConcurrentHashMap<>();

    /** Cursor of {@link #poll} and the batches found so far in this pass. Only the polling thread uses them. */
    private @Nullable BatchId pollCursor;

    private final Set<BatchId> activeBatches = new HashSet<>();

    /** @param executor runs the blocking store access */
    public BatchScheduler(BatchStore store, JobDispatcher dispatch, Executor executor) {
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /** Sends the executions of a batch that was just stored, as far as its parallelism allows. */
    void start(NewBatch batch, List<ExecutionJob> jobs) {
        if (batch.maxParallel().isPresent()) {
            scheduleAdvance(batch.id());
        } else {
            jobs.forEach(dispatch::enqueue);
        }
    }

    /** Advances the batch of an execution that ended on this node. Never blocks. */
    public void onExecutionEnded(ExecutionId id) {
        BatchId batch = batchOfSentExecution.remove(id);
        if (batch != null) {
            try {
                executor.execute(() -> advanceAfter(id, batch));
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "this node is shutting down; another one advances batch " + batch, e);
            }
        }
    }

    /** Advances the batch, unless the item is still in progress because another attempt follows. */
    private void advanceAfter(ExecutionId ended, BatchId batch) {
        try {
            Optional<ExecutionId> next = store.findNextAttempt(ended);
            if (next.isPresent()) {
                batchOfSentExecution.put(next.get(), batch);
                return;
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the next attempt of " + ended + " is unknown while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the next attempt of " + ended + " could not be read", e);
        }
        scheduleAdvance(batch);
    }

    /**
     * Advances batches with queued executions. Each call continues after the page of the previous call. Waits for the
     * store.
     */
    public void poll() {
        try {
            List<BatchId> advancing = store.listWithQueued(Optional.ofNullable(pollCursor), PAGE_SIZE);
            advancing.forEach(this::scheduleAdvance);
            activeBatches.addAll(advancing);
            if (advancing.size() == PAGE_SIZE) {
                pollCursor = advancing.get(PAGE_SIZE - 1);
                return;
            }
            // Drop executions of batches that are no longer active: those executions ended on other nodes.
            batchOfSentExecution.values().retainAll(activeBatches);
            pollCursor = null;
            activeBatches.clear();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "batches cannot be advanced while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batches could not be advanced; the next poll tries again", e);
        }
    }

    private void scheduleAdvance(BatchId batch) {
        if (pendingAdvances.merge(batch, false, (before, none) -> true)) {
            return; // The task that advances this batch runs once more.
        }
        try {
            executor.execute(() -> advance(batch));
        } catch (RejectedExecutionException e) {
            pendingAdvances.remove(batch); // This node is shutting down; the next start continues.
        }
    }

    private void advance(BatchId batch) {
        try {
            List<ExecutionJob> jobs = store.admitNext(batch);
            if (!jobs.isEmpty()) {
                Failpoint.BATCH_ADMITTED.reached(batch);
            }
            jobs.forEach(job -> batchOfSentExecution.put(job.id(), batch));
            jobs.forEach(dispatch::enqueue);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "a batch cannot be advanced while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "batch " + batch + " could not be advanced; the next poll tries again", e);
        } finally {
            if (pendingAdvances.computeIfPresent(batch, (key, repeatRequested) -> repeatRequested ? false : null)
                    != null) {
                executor.execute(() -> advance(batch));
            }
        }
    }
}
