package org.sallyport.submission;

import org.sallyport.schedule.ScheduleId;

/** What became of a schedule that a caller wrote. */
public sealed interface ScheduleReceipt {

    /** It is stored. */
    record Stored(ScheduleId id) implements ScheduleReceipt {}

    /** What is to run would not be accepted; nothing is stored. */
    record Refused(Receipt why) implements ScheduleReceipt {}

    /** Another of the tenant's schedules has this name; nothing is stored. */
    record NameTaken(String name) implements ScheduleReceipt {}

    /** The tenant has as many as it may have; nothing is stored. */
    record TooMany(int most) implements ScheduleReceipt {}

    /** There is none to be replaced; nothing is stored. */
    record Missing() implements ScheduleReceipt {}
}
