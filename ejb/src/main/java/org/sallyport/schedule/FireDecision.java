package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/** How to handle a schedule that is due. */
public sealed interface FireDecision {

    /** Returns the next due time afterwards. */
    Instant nextDueAt();

    /** An execution starts for the time {@code at}. */
    record FireNow(Instant at, Instant nextDueAt) implements FireDecision {}

    /** The time {@code at}, the latest due one, is skipped because it is too late. */
    record SkipFire(Instant at, Instant nextDueAt) implements FireDecision {}

    /**
     * Decides how to handle a schedule that is due.
     *
     * @param now not before {@link Schedule#dueAt}
     * @param grace a time that is handled with at most this delay counts as on time
     * @param maxMisfires maximum number of missed times to make up for
     */
    static FireDecision of(Schedule schedule, Instant now, Duration grace, int maxMisfires) {
        return of(schedule, now, maxMisfires, last -> !now.isAfter(last.plus(grace)));
    }

    /**
     * Decides like {@link #of(Schedule, Instant, Duration, int)} for a time that is queued: it was found early enough,
     * so it is not skipped.
     */
    static FireNow ofQueued(Schedule schedule, Instant now, int maxMisfires) {
        return (FireNow) of(schedule, now, maxMisfires, last -> true);
    }

    private static FireDecision of(Schedule schedule, Instant now, int maxMisfires, Predicate<Instant> isOnTime) {
        Trigger timing = schedule.trigger();
        List<Instant> come =
                timing.dueTimes(schedule.dueAt(), now, schedule.misfirePolicy() == MisfirePolicy.ALL ? maxMisfires : 1);
        Instant last = come.get(come.size() - 1);
        Instant next = timing.nextAfter(now);
        return switch (schedule.misfirePolicy()) {
            case ALL -> new FireNow(come.get(0), come.size() > 1 ? come.get(1) : next);
            case LAST -> new FireNow(last, next);
            // A time that waited for an earlier run to end counts as on time.
            case NONE ->
                schedule.waitingForPrevious() || isOnTime.test(last)
                        ? new FireNow(last, next)
                        : new SkipFire(last, next);
        };
    }
}
