package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What is to be done about a schedule that is due. */
public sealed interface FireDecision {

    /** The time that is due afterwards. */
    Instant nextDueAt();

    /** An execution for the time {@code at} is to begin. */
    record FireNow(Instant at, Instant nextDueAt) implements FireDecision {}

    /** It is too late for the time {@code at}, the last that came. */
    record SkipFire(Instant at, Instant nextDueAt) implements FireDecision {}

    /**
     * Decides.
     *
     * @param now not before {@link Schedule#dueAt}
     * @param grace a time that is seen this much later was not missed
     * @param most how many missed times are made up for
     */
    static FireDecision of(Schedule schedule, Instant now, Duration grace, int most) {
        Trigger timing = schedule.trigger();
        List<Instant> come =
                timing.dueTimes(schedule.dueAt(), now, schedule.misfirePolicy() == MisfirePolicy.ALL ? most : 1);
        Instant last = come.get(come.size() - 1);
        Instant next = timing.nextAfter(now);
        return switch (schedule.misfirePolicy()) {
            case ALL -> new FireNow(come.get(0), come.size() > 1 ? come.get(1) : next);
            case LAST -> new FireNow(last, next);
            // What waited for an execution to end was not missed.
            case NONE ->
                schedule.waitingForPrevious() || !now.isAfter(last.plus(grace))
                        ? new FireNow(last, next)
                        : new SkipFire(last, next);
        };
    }
}
