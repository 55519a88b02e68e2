package org.sallyport.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Schedule of the reminders of an undecided approval.
 *
 * @param leadTime time from the first reminder to the deadline
 * @param interval time between reminders
 * @param maxCount maximum number of reminders, 0 for none; all of them come before the deadline
 */
public record ReminderSchedule(Duration leadTime, Duration interval, int maxCount) {
    /** No reminders. */
    public static final ReminderSchedule NONE = new ReminderSchedule(Duration.ZERO, Duration.ZERO, 0);

    public ReminderSchedule {
        if (maxCount < 0 || maxCount > 0 && interval.multipliedBy(maxCount - 1L).compareTo(leadTime) >= 0) {
            throw new IllegalArgumentException("a reminder must come before the deadline");
        }
    }

    /** Returns the first reminder after {@code now}. */
    public Optional<Instant> nextAfter(Instant now, Instant deadline) {
        Instant first = deadline.minus(leadTime);
        return IntStream.range(0, maxCount)
                .mapToObj(number -> first.plus(interval.multipliedBy(number)))
                .filter(time -> time.isAfter(now))
                .findFirst();
    }
}
