package org.sallyport.schedule;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;

/**
 * Snapshot of a schedule.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param creator id of the caller who created it
 * @param owner id of the API key in whose name it runs
 * @param name its name
 * @param trigger when it is due
 * @param concurrencyPolicy how it fires while an earlier execution has not ended
 * @param misfirePolicy how missed times are handled
 * @param request the run request, or the options of the batch
 * @param pause why it is paused, if it is
 * @param dueAt the first time that is not handled yet
 * @param waitingForPrevious whether that time waits for an execution to end
 * @param lastRun its latest execution
 * @param lastSkipped the latest time that was skipped
 * @param version changes with every change of the schedule
 * @param createdAt when it was created
 * @param delayReason why that time could not be handled when it was due, if it is tried again
 * @param runsBatch whether it submits a batch of its stored rows
 * @param rows its stored rows; empty if there are none
 * @param lastBatch its latest batch
 */
public record Schedule(
        ScheduleId id,
        String tenant,
        String creator,
        String owner,
        String name,
        Trigger trigger,
        ConcurrencyPolicy concurrencyPolicy,
        MisfirePolicy misfirePolicy,
        Json request,
        Optional<SchedulePause> pause,
        Instant dueAt,
        boolean waitingForPrevious,
        Optional<LastScheduleRun> lastRun,
        Optional<SkippedRun> lastSkipped,
        long version,
        Instant createdAt,
        Optional<String> delayReason,
        boolean runsBatch,
        Optional<ScheduleRows> rows,
        Optional<LastScheduleBatch> lastBatch) {

    /** A pause of the schedule. */
    public record SchedulePause(String reason, Instant since) {}

    /**
     * The latest execution.
     *
     * @param at the due time of the execution
     * @param state its state when it was read; empty once the execution is deleted
     */
    public record LastScheduleRun(ExecutionId execution, Instant at, Optional<ExecutionState> state) {}

    /**
     * The latest batch.
     *
     * @param at the due time of the batch
     * @param size its size; empty once the batch is deleted
     */
    public record LastScheduleBatch(BatchId batch, Instant at, Optional<BatchSize> size) {}

    /**
     * Size of a batch.
     *
     * @param total number of items
     * @param refused number of items that were refused
     */
    public record BatchSize(int total, int refused) {}

    /** A time that was skipped. */
    public record SkippedRun(Instant at, SkipReason reason) {}

    /** Why a time was skipped. */
    public enum SkipReason {
        /** An earlier execution had not ended. */
        OVERLAP,
        /** The time was handled too late. */
        LATE,
        /** The schedule submits a batch, and no rows are stored. */
        NO_ROWS
    }
}
