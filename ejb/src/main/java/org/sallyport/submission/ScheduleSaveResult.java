package org.sallyport.submission;

import org.sallyport.schedule.ScheduleId;

/** What became of a schedule that a caller wrote. */
public sealed interface ScheduleSaveResult {

    /** It is stored. */
    record ScheduleStored(ScheduleId id) implements ScheduleSaveResult {}

    /** What is to run would not be accepted; nothing is stored. */
    record ScheduleRefused(SubmissionResult refusal) implements ScheduleSaveResult {}

    /** Another of the tenant's schedules has this name; nothing is stored. */
    record ScheduleNameTaken(String name) implements ScheduleSaveResult {}

    /** The tenant has as many as it may have; nothing is stored. */
    record TooManySchedules(int limit) implements ScheduleSaveResult {}

    /** There is none to be replaced; nothing is stored. */
    record ScheduleNotFound() implements ScheduleSaveResult {}
}
