package org.sallyport.runner;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.event.EventBus;
import org.sallyport.execution.FinishedExecutions;

/**
 * Deletes what was kept long enough, a small step at a time: one for each look while there is something to delete, and now and
 * then one while there is not. Used by one thread.
 */
public final class Retention {
    /** Between two looks that find nothing. */
    static final Duration PAUSE = Duration.ofSeconds(30);

    private static final int EXECUTIONS_AT_ONCE = 200;
    private static final int EVENTS_AT_ONCE = 500;

    private final FinishedExecutions executions;
    private final Duration executionsKept;
    private final EventBus events;
    private final Duration eventsKept;
    private final LongSupplier nanos;
    private long next;

    /**
     * @param executionsKept after their end; zero for ever
     * @param nanos a clock that nobody sets, such as {@link System#nanoTime}
     */
    public Retention(
            FinishedExecutions executions,
            Duration executionsKept,
            EventBus events,
            Duration eventsKept,
            LongSupplier nanos) {
        this.executions = executions;
        this.executionsKept = executionsKept;
        this.events = events;
        this.eventsKept = eventsKept;
        this.nanos = nanos;
        this.next = nanos.getAsLong();
    }

    /** One step, if it is time for one. */
    void look() {
        long now = nanos.getAsLong();
        if (now - next < 0) {
            return;
        }
        // Also when the store does not answer, or refuses.
        next = now + PAUSE.toNanos();
        boolean more = events.purge(eventsKept, EVENTS_AT_ONCE) == EVENTS_AT_ONCE;
        if (!executionsKept.isZero()) {
            more |= executions.purge(executionsKept, EXECUTIONS_AT_ONCE);
        }
        if (more) {
            next = now;
        }
    }
}
