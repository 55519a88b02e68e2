package org.sallyport.runner;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionPurger;

/**
 * Deletes what was kept long enough, a small step at a time: one for each look while there is something to delete, and now and
 * then one while there is not. Used by one thread.
 */
public final class RetentionTask {
    /** Between two looks that find nothing. */
    static final Duration IDLE_INTERVAL = Duration.ofSeconds(30);

    private static final int EXECUTION_BATCH_SIZE = 200;
    private static final int EVENT_BATCH_SIZE = 500;

    private final ExecutionPurger executions;
    private final Duration executionRetention;
    private final EventBus events;
    private final Duration eventRetention;
    private final LongSupplier nanoTime;
    private long nextStepNanos;

    /**
     * @param executionsKept after their end; zero for ever
     * @param nanos a clock that nobody sets, such as {@link System#nanoTime}
     */
    public RetentionTask(
            ExecutionPurger executions,
            Duration executionsKept,
            EventBus events,
            Duration eventsKept,
            LongSupplier nanos) {
        this.executions = executions;
        this.executionRetention = executionsKept;
        this.events = events;
        this.eventRetention = eventsKept;
        this.nanoTime = nanos;
        this.nextStepNanos = nanos.getAsLong();
    }

    /** One step, if it is time for one. */
    void purgeIfDue() {
        long now = nanoTime.getAsLong();
        if (now - nextStepNanos < 0) {
            return;
        }
        // Also when the store does not answer, or refuses.
        nextStepNanos = now + IDLE_INTERVAL.toNanos();
        boolean more = events.purge(eventRetention, EVENT_BATCH_SIZE) == EVENT_BATCH_SIZE;
        if (!executionRetention.isZero()) {
            more |= executions.purge(executionRetention, EXECUTION_BATCH_SIZE);
        }
        if (more) {
            nextStepNanos = now;
        }
    }
}
