package org.sallyport.submission;

import org.sallyport.schedule.ScheduleId;

/** Outcome of creating or replacing a schedule. */
public sealed interface ScheduleSaveResult {

    /** The schedule is stored. */
    record ScheduleStored(ScheduleId id) implements ScheduleSaveResult {}

    /** The run request would be refused; nothing is stored. */
    record ScheduleRefused(SubmissionResult refusal) implements ScheduleSaveResult {}

    /** Another schedule of the tenant has this name; nothing is stored. */
    record ScheduleNameTaken(String name) implements ScheduleSaveResult {}

    /** The tenant has reached its maximum number of schedules; nothing is stored. */
    record TooManySchedules(int limit) implements ScheduleSaveResult {}

    /** The schedule to replace does not exist; nothing is stored. */
    record ScheduleNotFound() implements ScheduleSaveResult {}
}
