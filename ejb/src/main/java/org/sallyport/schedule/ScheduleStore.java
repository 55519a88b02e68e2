package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;

/**
 * Stores schedules. Every method is one transaction, committed when it returns; times come from the store's own clock.
 * Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ScheduleStore {

    /**
     * Stores a new schedule.
     *
     * @param maxSchedules maximum number of schedules of the tenant
     */
    SaveResult create(NewSchedule schedule, int maxSchedules);

    /**
     * Replaces the tenant's schedule with that id. Times that were due before are dropped. Its rows stay if it still
     * submits batches.
     */
    SaveResult replace(NewSchedule schedule);

    /** Returns the schedule; empty when the tenant has no such schedule. */
    Optional<Schedule> find(String tenant, ScheduleId id);

    /**
     * Returns the tenant's schedules, newest first.
     *
     * @param before only schedules older than this one
     * @param limit maximum number of schedules
     */
    List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit);

    /** Deletes a schedule with its rows, but not its executions. Returns whether the tenant had it. */
    boolean delete(String tenant, ScheduleId id);

    /**
     * Pauses a schedule until it is resumed. Returns whether the tenant has it. A schedule that is already paused keeps
     * its reason.
     */
    boolean pause(String tenant, ScheduleId id, String reason);

    /**
     * Resumes a schedule from its next time on. Returns whether the tenant has it.
     *
     * @param owner id of the API key in whose name it runs from now on
     */
    boolean resume(String tenant, ScheduleId id, String owner);

    /** A schedule that is due, and the store's time when it was found. */
    record DueSchedule(Schedule schedule, Instant now) {}

    /**
     * Returns schedules that are due, the longest overdue first, without those that
     * {@link ScheduleBatchStore#queue} has queued. Concurrent callers may receive the same schedules.
     */
    List<DueSchedule> findDue(int limit);

    /**
     * Stores an execution and marks the time as handled, both or nothing, unless the time was already handled. Of all
     * concurrent callers exactly one receives {@link FireResult.ScheduleFired}.
     *
     * @param seen the schedule as it was found
     * @param hold when an execution must end first, how long until the schedule is due again
     */
    FireResult fire(Schedule seen, FireDecision.FireNow turn, NewExecution execution, Duration hold);

    /** Skips a time, unless it was already handled. A queued time is not skipped as too late. */
    void skip(Schedule seen, FireDecision.SkipFire turn, Schedule.SkipReason reason);

    /**
     * Delays a schedule that is due: {@link #findDue} and {@link ScheduleBatchStore#findQueued} do not return it for
     * {@code wait}.
     *
     * @param reason why its time cannot be handled now, for people; shown until the time is handled
     */
    void postpone(Schedule seen, Duration wait, String reason);

    /** Pauses a schedule that cannot run, unless it was changed. */
    void pauseIfUnchanged(Schedule seen, String reason);

    /**
     * Stores an execution of the schedule outside its times. Returns false, and stores nothing, when the tenant has no
     * such schedule.
     */
    boolean runNow(String tenant, ScheduleId id, NewExecution execution);

    /**
     * An execution of a schedule.
     *
     * @param at its due time; empty when a client started it
     * @param state its state when it was read
     */
    record ScheduleRun(ExecutionId execution, Optional<Instant> at, ExecutionState state) {}

    /**
     * Returns the executions of a schedule, newest first.
     *
     * @param before only executions older than this one
     * @param limit maximum number of executions
     */
    List<ScheduleRun> listRuns(ScheduleId id, Optional<ExecutionId> before, int limit);
}
