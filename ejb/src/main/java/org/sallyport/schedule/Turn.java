package org.sallyport.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What is to be done about a schedule that is due. */
public sealed interface Turn {

    /** The time that is due afterwards. */
    Instant next();

    /** An execution for the time {@code at} is to begin. */
    record Run(Instant at, Instant next) implements Turn {}

    /** It is too late for the time {@code at}, the last that came. */
    record Leave(Instant at, Instant next) implements Turn {}

    /**
     * Decides.
     *
     * @param now not before {@link Schedule#dueAt}
     * @param grace a time that is seen this much later was not missed
     * @param most how many missed times are made up for
     */
    static Turn of(Schedule schedule, Instant now, Duration grace, int most) {
        Timing timing = schedule.timing();
        List<Instant> come = timing.come(schedule.dueAt(), now, schedule.catchUp() == CatchUp.ALL ? most : 1);
        Instant last = come.get(come.size() - 1);
        Instant next = timing.next(now);
        return switch (schedule.catchUp()) {
            case ALL -> new Run(come.get(0), come.size() > 1 ? come.get(1) : next);
            case LAST -> new Run(last, next);
            // What waited for an execution to end was not missed.
            case NONE ->
                schedule.held() || !now.isAfter(last.plus(grace)) ? new Run(last, next) : new Leave(last, next);
        };
    }
}
