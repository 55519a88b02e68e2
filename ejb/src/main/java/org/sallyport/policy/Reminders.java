package org.sallyport.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * When people are reminded of what they have not decided.
 *
 * @param before how long before the deadline for the first time
 * @param every how long after each time the next one comes
 * @param times how often at most, 0 for never; all of them come before the deadline
 */
public record Reminders(Duration before, Duration every, int times) {
    /** Nobody is reminded. */
    public static final Reminders NONE = new Reminders(Duration.ZERO, Duration.ZERO, 0);

    public Reminders {
        if (times < 0 || times > 0 && every.multipliedBy(times - 1L).compareTo(before) >= 0) {
            throw new IllegalArgumentException("a reminder must come before the deadline");
        }
    }

    /** The first time after {@code now}. */
    public Optional<Instant> after(Instant now, Instant deadline) {
        Instant first = deadline.minus(before);
        return IntStream.range(0, times)
                .mapToObj(number -> first.plus(every.multipliedBy(number)))
                .filter(time -> time.isAfter(now))
                .findFirst();
    }
}
