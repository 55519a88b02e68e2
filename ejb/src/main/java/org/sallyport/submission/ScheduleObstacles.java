package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleStore;

/**
 * Records why a schedule that is due cannot run: pauses it if the cause is the schedule, and tries again later
 * otherwise. Thread-safe.
 */
final class ScheduleObstacles {
    private static final Logger LOG = System.getLogger(ScheduleObstacles.class.getName());
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);
    /** Longer than the pause between two polls of a node. */
    private static final int RETRY_JITTER_MILLIS = 2_000;

    private final ScheduleStore store;
    private final RandomGenerator random;

    ScheduleObstacles(ScheduleStore store, RandomGenerator random) {
        this.store = store;
        this.random = random;
    }

    /** The cause passes, or does not concern other nodes. */
    void delay(Schedule schedule, String reason) {
        LOG.log(Level.WARNING, "schedule {0} is due and cannot run now: {1}; it is tried again", schedule.id(), reason);
        store.postpone(schedule, retryDelay(), reason);
    }

    /** The failure is in the log. */
    void delayAfterFailure(Schedule schedule) {
        store.postpone(schedule, retryDelay(), "the service failed; its log has the cause");
    }

    /** Varies, so that another node finds the schedule first in the end: the cause may concern this node only. */
    private Duration retryDelay() {
        return RETRY_DELAY.plusMillis(random.nextInt(RETRY_JITTER_MILLIS));
    }

    void stop(Schedule schedule, String reason) {
        LOG.log(Level.WARNING, "schedule {0} is paused: {1}", schedule.id(), reason);
        store.pauseIfUnchanged(schedule, reason);
    }
}
