package org.sallyport.batch;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

/**
 * Stores batches. Every method is one transaction, committed when it returns. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface BatchStore {

    /** Returns the result of an earlier request with this key; empty when there was none. */
    Optional<BatchInsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency);

    /**
     * Stores a batch with all its items, or nothing. Executions of a batch with {@link NewBatch#maxParallel} stay
     * queued until {@link #admitNext} admits them; no sweeper sends their jobs before. When the store did not answer,
     * the same batch may be inserted again: it is stored once.
     *
     * @param items read one after the other, within the transaction
     */
    BatchInsertResult insert(NewBatch batch, Iterator<NewBatchItem> items);

    /** Returns the batch; empty when the tenant has no such batch. */
    Optional<Batch> find(String tenant, BatchId id);

    /**
     * Returns the tenant's batches, newest first.
     *
     * @param before only batches older than this one
     * @param limit maximum number of batches
     */
    List<Batch> list(String tenant, Optional<BatchId> before, int limit);

    /** Returns how many of its executions are in each state. */
    Map<ExecutionState, Integer> countByState(BatchId id);

    /**
     * Returns items in order.
     *
     * @param after only items with a larger index; -1 for all
     * @param limit maximum number of items
     */
    List<BatchItem> listItems(BatchId id, int after, int limit);

    /** Returns items like {@link #listItems}, only those whose executions have failed or timed out. */
    List<BatchItem> listFailedItems(BatchId id, int after, int limit);

    /** Returns the number of executions that have failed or timed out. */
    int countFailedExecutions(BatchId id);

    /** Returns items like {@link #listItems}, only those that were rejected or ended otherwise than completed. */
    List<BatchItem> listUnsuccessfulItems(BatchId id, int after, int limit);

    /** Returns the row of which an item was made; empty if its batch has no rows. */
    Optional<Json> findRow(BatchId id, int index);

    /**
     * Returns items in order, with their sizes.
     *
     * @param after only items with a larger index; -1 for all
     * @param limit maximum number of items
     * @param unsuccessful only those of {@link #listUnsuccessfulItems}
     */
    List<SizedBatchItem> listSizedItems(BatchId id, int after, int limit, boolean unsuccessful);

    /**
     * Returns the rows of items, by the index of the item.
     *
     * @param indexes at least one and at most 1,000 indexes; those without a row are absent in the result
     */
    Map<Integer, Json> findRows(BatchId id, List<Integer> indexes);

    /** Returns whether an execution of the batch has not ended. */
    boolean hasUnfinished(BatchId id);

    /** Returns whether an execution of the batch is queued, because others of the batch are under way. */
    boolean isQueued(BatchId id, ExecutionId execution);

    /**
     * Returns batches with queued executions, oldest first.
     *
     * @param after only younger batches, when given
     */
    List<BatchId> listWithQueued(Optional<BatchId> after, int limit);

    /**
     * Admits queued executions until the batch reaches its parallelism. When an execution has failed and the batch
     * stops on failure, cancels the executions that have not started instead.
     *
     * @return the jobs to send
     */
    List<ExecutionJob> admitNext(BatchId id);

    /** Returns the next attempt of an execution that has failed and is run again. */
    Optional<ExecutionId> findNextAttempt(ExecutionId failed);

    /**
     * Cancels the executions that no runner holds, and stops the batch from admitting more. The first request stays.
     *
     * @param request who requests it, and why
     * @return the other executions that have not ended, most of which a runner holds
     */
    List<ExecutionId> cancelNotRunning(String tenant, BatchId id, CancelRequest request);

    /**
     * Does the same because the next run of the schedule of the batch is due, unless the batch was stopped before: it
     * then only returns the executions that have not ended.
     */
    List<ExecutionId> stopForNextRun(String tenant, BatchId id, CancelRequest request);
}
