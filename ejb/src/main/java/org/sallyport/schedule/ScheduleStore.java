package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;

/**
 * Where schedules live. Every method is one transaction, committed when it returns; times are the store's own clock. Throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ScheduleStore {

    /**
     * Stores a schedule.
     *
     * @param most how many the tenant may have
     */
    SaveResult create(NewSchedule schedule, int most);

    /** Stores it in place of the tenant's schedule with its id. What was due before is not any more. */
    SaveResult replace(NewSchedule schedule);

    /** The schedule, if it is this tenant's. */
    Optional<Schedule> find(String tenant, ScheduleId id);

    /**
     * The tenant's schedules, newest first.
     *
     * @param before only those older than this one
     * @param limit at most so many
     */
    List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit);

    /** Forgets a schedule, not its executions; whether the tenant had it. */
    boolean delete(String tenant, ScheduleId id);

    /** Has it not run until it is resumed; whether the tenant has it. One that is paused keeps its reason. */
    boolean pause(String tenant, ScheduleId id, String reason);

    /**
     * Has it run again, from its next time on; whether the tenant has it.
     *
     * @param owner in whose name from now on
     */
    boolean resume(String tenant, ScheduleId id, String owner);

    /** A schedule that is due, and the store's time when it was found. */
    record DueSchedule(Schedule schedule, Instant now) {}

    /** Schedules that are due, the longest first. Others may be given the same. */
    List<DueSchedule> findDue(int limit);

    /**
     * Stores an execution and that the schedule has seen to the time, both or nothing, unless somebody else has: however many ask,
     * one is given {@link FireResult.ScheduleFired}.
     *
     * @param seen the schedule as it was found
     * @param hold when an execution must end first, how long until it is found due again
     */
    FireResult fire(Schedule seen, FireDecision.FireNow turn, NewExecution execution, Duration hold);

    /** Leaves a time out, unless somebody else has seen to it. */
    void skip(Schedule seen, FireDecision.SkipFire turn);

    /** Has a schedule that is due not be found for a while. */
    void postpone(Schedule seen, Duration wait);

    /** Pauses a schedule that cannot run, unless somebody has changed it. */
    void pauseIfUnchanged(Schedule seen, String reason);

    /** Stores an execution of it besides its times; false when the tenant has no such schedule, and nothing is stored. */
    boolean runNow(String tenant, ScheduleId id, NewExecution execution);

    /**
     * An execution of a schedule.
     *
     * @param at the time that it was for, empty when somebody asked for it
     * @param state its state when it was read
     */
    record ScheduleRun(ExecutionId execution, Optional<Instant> at, ExecutionState state) {}

    /**
     * Executions of a schedule, newest first.
     *
     * @param before only those older than this one
     * @param limit at most so many
     */
    List<ScheduleRun> listRuns(ScheduleId id, Optional<ExecutionId> before, int limit);
}
