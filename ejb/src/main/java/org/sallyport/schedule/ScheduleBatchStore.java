package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/**
 * Stores the batches of schedules. A due time is queued when it is found, claimed by one node, and handled by the
 * transaction that stores its batch. Every method is one transaction, committed when it returns; times come from the
 * store's own clock. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 * Thread-safe.
 */
public interface ScheduleBatchStore {

    /**
     * Queues the due time of a schedule, unless the schedule was changed. A queued time is not late any more, however
     * long it waits: {@link ScheduleStore#findDue} does not return it, {@link #findQueued} does.
     */
    void queue(Schedule seen);

    /**
     * Returns schedules whose time is queued and neither claimed nor delayed, of the tenants after {@code afterTenant}
     * in the store's order of tenants; of one tenant the longest overdue first.
     *
     * @param afterTenant a tenant, or an empty text for all
     * @param limit maximum number of schedules
     */
    List<DueSchedule> findQueued(String afterTenant, int limit);

    /**
     * Claims a due time, unless it was already handled, it is claimed or delayed, or an earlier run of the schedule has
     * not ended: skips or defers it then, by the policy of the schedule. Of all callers at most one receives
     * {@link FireResult.BatchClaimed}, until the claim has expired.
     *
     * @param seen the schedule as it was found
     * @param hold when an earlier run must end first, how long until the schedule is due again
     * @param claim how long {@link #findQueued} does not return the schedule after it was claimed
     */
    FireResult claim(Schedule seen, FireDecision.FireNow turn, Duration hold, Duration claim);

    /**
     * Renews a claim, unless the schedule was changed or the time was handled.
     *
     * @param claim how long other nodes leave the time alone from now on; zero ends the claim
     */
    void renewClaim(Schedule seen, Duration claim);

    /**
     * Stores a batch with all its items and marks the time as handled, both or nothing. Returns
     * {@link FireResult.BatchFired}, or {@link FireResult.FireSuperseded} if nothing is stored, because the time was
     * already handled, the schedule was changed, or an earlier run of it must end first.
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
    record ScheduleBatch(BatchId batch, Optional<Instant> at, Schedule.BatchSize size) {}

    /**
     * Returns the batches of a schedule of the tenant, newest first.
     *
     * @param before only batches older than this one
     * @param limit maximum number of batches
     */
    List<ScheduleBatch> listBatches(String tenant, ScheduleId id, Optional<BatchId> before, int limit);
}
