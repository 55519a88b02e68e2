package org.sallyport.runner;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionPurger;

/**
 * Deletes executions and events whose retention is over, in small steps: one step per sweep while there is something to
 * delete, otherwise one per {@code IDLE_INTERVAL}. Used by one thread.
 */
public final class RetentionTask {
    /** Interval between two steps when there is nothing more to delete. */
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
     * @param executionsKept retention of executions after their end; zero keeps them forever
     * @param nanos a monotonic clock, such as {@link System#nanoTime}
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

    /** Runs one step if it is due. */
    void purgeIfDue() {
        long now = nanoTime.getAsLong();
        if (now - nextStepNanos < 0) {
            return;
        }
        // Set this first, so that it also holds when the store is unavailable or refuses.
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
