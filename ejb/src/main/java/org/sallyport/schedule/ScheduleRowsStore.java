package org.sallyport.schedule;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;

/**
 * Stores the rows and the batches of schedules. Every method is one transaction, committed when it returns, unless it
 * says otherwise; times come from the store's own clock. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ScheduleRowsStore {

    /**
     * Replaces the rows of a schedule that submits batches, as a whole or not at all. The schedule then runs in the
     * name of {@link ScheduleRows#uploadedBy}. Firings that began with the earlier rows are superseded. Returns false
     * when the tenant has no such schedule.
     *
     * @param content has as many bytes as {@code rows} says; read once
     */
    boolean putRows(String tenant, ScheduleId id, ScheduleRows rows, InputStream content);

    /**
     * Writes the content of the rows to {@code out}, chunk by chunk, each in its own transaction. Returns false, after
     * it may have written a part, when the rows were replaced or deleted meanwhile.
     */
    boolean copyRows(ScheduleId id, ScheduleRows rows, OutputStream out);

    /**
     * Claims a due time, unless it was already handled or a batch of the schedule has not ended: skips or defers it
     * then, by the policy of the schedule. Of all concurrent callers at most one receives
     * {@link FireResult.BatchClaimed}.
     *
     * @param seen the schedule as it was found
     * @param hold when a batch must end first, how long until the schedule is due again
     * @param claim how long {@link ScheduleStore#findDue} does not return the schedule after it was claimed
     */
    FireResult claim(Schedule seen, FireDecision.FireNow turn, Duration hold, Duration claim);

    /**
     * Stores a batch with all its items and marks the time as handled, both or nothing. Returns
     * {@link FireResult.BatchFired}, or {@link FireResult.FireSuperseded} if nothing is stored, because the time was
     * already handled, the schedule was changed, or a batch of it must end first.
     *
     * @param items read one after the other, within the transaction
     */
    FireResult fireBatch(Schedule seen, FireDecision.FireNow turn, NewBatch batch, Iterator<NewBatchItem> items);

    /**
     * Stores a batch of the schedule outside its times. Returns false, and stores nothing, when the schedule does not
     * exist any more or was changed.
     *
     * @param seen the schedule as it was found
     * @param items read one after the other, within the transaction
     */
    boolean runBatchNow(Schedule seen, NewBatch batch, Iterator<NewBatchItem> items);

    /**
     * A batch of a schedule.
     *
     * @param at its due time; empty when a client submitted it
     */
    record ScheduleBatch(BatchId batch, Optional<Instant> at) {}

    /**
     * Returns the batches of a schedule, newest first.
     *
     * @param before only batches older than this one
     * @param limit maximum number of batches
     */
    List<ScheduleBatch> listBatches(ScheduleId id, Optional<BatchId> before, int limit);
}
