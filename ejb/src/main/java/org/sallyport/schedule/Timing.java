package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** At which times a schedule is due. Its times never end. */
public sealed interface Timing {

    /** The first time after {@code moment}. */
    Instant next(Instant moment);

    /** The same, counting from {@code moment} if it counts from when it was written. */
    Timing writtenAt(Instant moment);

    /**
     * The last times that have come, in order.
     *
     * @param first a time of this schedule, the first to look at
     * @param now the last to look at
     * @param most at most so many
     */
    default List<Instant> come(Instant first, Instant now, int most) {
        // From now backwards in steps that grow: after a year of silence nobody counts every minute of it.
        for (Duration back = Duration.ofMinutes(1); ; back = back.multipliedBy(4)) {
            boolean whole = !now.minus(back).isAfter(first);
            Deque<Instant> last = new ArrayDeque<>();
            for (Instant time = whole ? first : next(now.minus(back)); !time.isAfter(now); time = next(time)) {
                last.add(time);
                if (last.size() > most) {
                    last.remove();
                }
            }
            if (whole || last.size() == most) {
                return List.copyOf(last);
            }
        }
    }

    /** By the calendar of a place. */
    record Cron(CronExpression expression, ZoneId zone) implements Timing {
        @Override
        public Instant next(Instant moment) {
            return expression.next(moment, zone);
        }

        @Override
        public Timing writtenAt(Instant moment) {
            return this;
        }
    }

    /**
     * Every so often.
     *
     * @param period at least a second
     * @param start when it was written: the first time is one period later
     */
    record Every(Duration period, Instant start) implements Timing {
        public Every {
            if (period.toMillis() < 1_000) {
                throw new IllegalArgumentException("must be at least a second");
            }
        }

        @Override
        public Instant next(Instant moment) {
            long passed = Math.floorDiv(Duration.between(start, moment).toMillis(), period.toMillis());
            return start.plus(period.multipliedBy(Math.max(0, passed) + 1));
        }

        @Override
        public Timing writtenAt(Instant moment) {
            return new Every(period, moment);
        }
    }
}
