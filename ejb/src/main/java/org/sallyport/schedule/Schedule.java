package org.sallyport.schedule;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;

/**
 * A schedule as it was when it was read.
 *
 * @param id its id
 * @param tenant whose it is
 * @param owner id of the key in whose name it runs
 * @param name its name
 * @param trigger when it is due
 * @param concurrencyPolicy what happens when an execution of it has not ended
 * @param misfirePolicy what happens to times that were missed
 * @param request what runs
 * @param pause why it does not run now, if it does not
 * @param dueAt the first time that has not been seen to
 * @param waitingForPrevious whether that time waits for an execution to end
 * @param lastRun its last execution
 * @param lastSkipped the last time that was left out
 * @param version changes whenever somebody changes it
 * @param createdAt when it was first written
 */
public record Schedule(
        ScheduleId id,
        String tenant,
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
        Instant createdAt) {

    /** That it does not run. */
    public record SchedulePause(String reason, Instant since) {}

    /**
     * An execution of it.
     *
     * @param at the time that it was for
     * @param state its state when it was read; empty once it is deleted
     */
    public record LastScheduleRun(ExecutionId execution, Instant at, Optional<ExecutionState> state) {}

    /** A time at which nothing was run. */
    public record SkippedRun(Instant at, SkipReason reason) {}

    /** Why nothing was run at a time. */
    public enum SkipReason {
        /** An execution had not ended. */
        OVERLAP,
        /** It was seen too late. */
        LATE
    }
}
