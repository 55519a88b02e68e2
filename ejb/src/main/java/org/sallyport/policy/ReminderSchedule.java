package org.sallyport.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * When people are reminded of what they have not decided.
 *
 * @param leadTime how long before the deadline for the first time
 * @param interval how long after each time the next one comes
 * @param maxCount how often at most, 0 for never; all of them come before the deadline
 */
public record ReminderSchedule(Duration leadTime, Duration interval, int maxCount) {
    /** Nobody is reminded. */
    public static final ReminderSchedule NONE = new ReminderSchedule(Duration.ZERO, Duration.ZERO, 0);

    public ReminderSchedule {
        if (maxCount < 0 || maxCount > 0 && interval.multipliedBy(maxCount - 1L).compareTo(leadTime) >= 0) {
            throw new IllegalArgumentException("a reminder must come before the deadline");
        }
    }

    /** The first time after {@code now}. */
    public Optional<Instant> nextAfter(Instant now, Instant deadline) {
        Instant first = deadline.minus(leadTime);
        return IntStream.range(0, maxCount)
                .mapToObj(number -> first.plus(interval.multipliedBy(number)))
                .filter(time -> time.isAfter(now))
                .findFirst();
    }
}
