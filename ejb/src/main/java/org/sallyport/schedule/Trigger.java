package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** At which times a schedule is due. Its times never end. */
public sealed interface Trigger {

    /** The first time after {@code moment}. */
    Instant nextAfter(Instant moment);

    /** The same, counting from {@code moment} if it counts from when it was written. */
    Trigger startingAt(Instant moment);

    /**
     * The last times that have come, in order.
     *
     * @param first a time of this schedule, the first to look at
     * @param now the last to look at
     * @param most at most so many
     */
    default List<Instant> dueTimes(Instant first, Instant now, int most) {
        // From now backwards in steps that grow: after a year of silence nobody counts every minute of it.
        for (Duration back = Duration.ofMinutes(1); ; back = back.multipliedBy(4)) {
            boolean whole = !now.minus(back).isAfter(first);
            Deque<Instant> last = new ArrayDeque<>();
            for (Instant time = whole ? first : nextAfter(now.minus(back));
                    !time.isAfter(now);
                    time = nextAfter(time)) {
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
    record CronTrigger(CronExpression expression, ZoneId zone) implements Trigger {
        @Override
        public Instant nextAfter(Instant moment) {
            return expression.nextAfter(moment, zone);
        }

        @Override
        public Trigger startingAt(Instant moment) {
            return this;
        }
    }

    /**
     * Every so often.
     *
     * @param period at least a second
     * @param start when it was written: the first time is one period later
     */
    record IntervalTrigger(Duration period, Instant start) implements Trigger {
        public IntervalTrigger {
            if (period.toMillis() < 1_000) {
                throw new IllegalArgumentException("must be at least a second");
            }
        }

        @Override
        public Instant nextAfter(Instant moment) {
            long passed = Math.floorDiv(Duration.between(start, moment).toMillis(), period.toMillis());
            return start.plus(period.multipliedBy(Math.max(0, passed) + 1));
        }

        @Override
        public Trigger startingAt(Instant moment) {
            return new IntervalTrigger(period, moment);
        }
    }
}
