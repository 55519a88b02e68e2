package org.sallyport.batch;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution.IdempotencyKey;

/**
 * Where batches live. Every method is one transaction, committed when it returns. Throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface BatchStore {

    /** What became of an earlier request with this key; empty when there was none. */
    Optional<BatchInsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency);

    /**
     * Stores a batch with all its items, or nothing. Executions of a batch with {@link NewBatch#maxParallel} wait until {@link
     * #admitNext} lets them; no sweeper sends their jobs before.
     *
     * @param items asked for one after the other, within the transaction
     */
    BatchInsertResult insert(NewBatch batch, Iterator<NewBatchItem> items);

    /** The batch, if it is this tenant's. */
    Optional<Batch> find(String tenant, BatchId id);

    /**
     * The tenant's batches, newest first.
     *
     * @param before only those older than this one
     * @param limit at most so many
     */
    List<Batch> list(String tenant, Optional<BatchId> before, int limit);

    /** How many of its executions are in each state. */
    Map<ExecutionState, Integer> countByState(BatchId id);

    /**
     * Items in order.
     *
     * @param after only items with a larger index; -1 for all
     * @param limit at most so many
     */
    List<BatchItem> listItems(BatchId id, int after, int limit);

    /** As {@link #listItems}, only those whose executions have failed or timed out. */
    List<BatchItem> listFailedItems(BatchId id, int after, int limit);

    /** Whether an execution of the batch has not ended. */
    boolean hasUnfinished(BatchId id);

    /** Whether an execution of the batch may not run yet because others of it are under way. */
    boolean isQueued(BatchId id, ExecutionId execution);

    /**
     * Batches with executions that may not run yet, oldest first.
     *
     * @param after only those that are younger, when given
     */
    List<BatchId> listWithQueued(Optional<BatchId> after, int limit);

    /**
     * Lets as many of the executions that wait go as may be under way beside those that are; when one has failed and the batch is
     * to stop, cancels what has not begun instead.
     *
     * @return the jobs to be sent
     */
    List<ExecutionJob> admitNext(BatchId id);

    /**
     * Cancels what nobody runs, and lets nothing go any more.
     *
     * @return the executions that somebody runs
     */
    List<ExecutionId> cancelNotRunning(String tenant, BatchId id);
}
