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
 * @param timing when it is due
 * @param overlap what happens when an execution of it has not ended
 * @param catchUp what happens to times that were missed
 * @param request what runs
 * @param pause why it does not run now, if it does not
 * @param dueAt the first time that has not been seen to
 * @param held whether that time waits for an execution to end
 * @param last its last execution
 * @param leftOut the last time that was left out
 * @param version changes whenever somebody changes it
 * @param createdAt when it was first written
 */
public record Schedule(
        ScheduleId id,
        String tenant,
        String owner,
        String name,
        Timing timing,
        Overlap overlap,
        CatchUp catchUp,
        Json request,
        Optional<Pause> pause,
        Instant dueAt,
        boolean held,
        Optional<LastRun> last,
        Optional<LeftOut> leftOut,
        long version,
        Instant createdAt) {

    /** That it does not run. */
    public record Pause(String reason, Instant since) {}

    /**
     * An execution of it.
     *
     * @param at the time that it was for
     * @param state its state when it was read; empty once it is deleted
     */
    public record LastRun(ExecutionId execution, Instant at, Optional<ExecutionState> state) {}

    /** A time at which nothing was run. */
    public record LeftOut(Instant at, Why why) {}

    /** Why nothing was run at a time. */
    public enum Why {
        /** An execution had not ended. */
        OVERLAP,
        /** It was seen too late. */
        LATE
    }
}
