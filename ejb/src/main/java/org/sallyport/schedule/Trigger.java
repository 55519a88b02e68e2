package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The times at which a schedule is due. They never end. */
public sealed interface Trigger {

    /** Returns the first time after {@code moment}. */
    Instant nextAfter(Instant moment);

    /** Returns a trigger that counts from {@code moment} if it is relative to its creation; otherwise this trigger. */
    Trigger startingAt(Instant moment);

    /** Returns whether {@code other} differs at most in the moment from which it counts. */
    default boolean hasSameRule(Trigger other) {
        return startingAt(Instant.EPOCH).equals(other.startingAt(Instant.EPOCH));
    }

    /**
     * Returns the latest due times, in order.
     *
     * @param first a time of this schedule, the first to consider
     * @param now the last moment to consider
     * @param maxTimes maximum number of times
     */
    default List<Instant> dueTimes(Instant first, Instant now, int maxTimes) {
        // Searches backwards from now in growing steps, so that a long outage does not require enumerating every missed
        // time.
        for (Duration back = Duration.ofMinutes(1); ; back = back.multipliedBy(4)) {
            boolean whole = !now.minus(back).isAfter(first);
            Deque<Instant> last = new ArrayDeque<>();
            for (Instant time = whole ? first : nextAfter(now.minus(back));
                    !time.isAfter(now);
                    time = nextAfter(time)) {
                last.add(time);
                if (last.size() > maxTimes) {
                    last.remove();
                }
            }
            if (whole || last.size() == maxTimes) {
                return List.copyOf(last);
            }
        }
    }

    /** By the calendar of a time zone. */
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
     * At a fixed interval.
     *
     * @param period at least one second
     * @param start creation time; the first due time is one period later
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
