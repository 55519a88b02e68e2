package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;

/**
 * Records why a schedule that is due cannot run: pauses it if the cause is the schedule, and tries again later
 * otherwise. Thread-safe.
 */
public final class ScheduleDelayRecorder {
    private static final Logger LOG = System.getLogger(ScheduleDelayRecorder.class.getName());
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);
    /** A batch is checked again as a whole, so its delay doubles up to this one. */
    private static final Duration MAX_RETRY_DELAY = Duration.ofMinutes(1);

    private static final int RETRY_JITTER_MILLIS = 2_000;
    private static final Duration POLL_TOLERANCE = Duration.ofSeconds(1);
    private static final int MAX_FAILED_TRIES = 10_000;

    private final ScheduleStore store;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Duration pollPause;
    private final Map<ScheduleId, FailedTry> failedTries = new LinkedHashMap<>();

    /**
     * The latest failed try of this node.
     *
     * @param count number of failed tries of the same time
     * @param delay the delay until the next try
     * @param yieldsUntil until when this node leaves the time to the other nodes
     */
    private record FailedTry(long version, Instant dueAt, int count, Duration delay, Instant yieldsUntil) {
        boolean concerns(Schedule schedule) {
            return version == schedule.version() && dueAt.equals(schedule.dueAt());
        }
    }

    /** @param pollPause the pause between two polls of a node */
    public ScheduleDelayRecorder(ScheduleStore store, RandomGenerator random, InstantSource clock, Duration pollPause) {
        this.store = store;
        this.random = random;
        this.clock = clock;
        this.pollPause = pollPause;
    }

    /** Tries the schedule again if the refusal may pass, and pauses it otherwise. */
    void handleRefusal(Schedule schedule, SubmissionResult refusal) {
        String reason = RejectionMessages.describe(refusal);
        if (TransientRefusals.contains(refusal)) {
            delay(schedule, reason);
        } else {
            stop(schedule, reason);
        }
    }

    /**
     * The cause passes, or does not concern other nodes: for one poll, they find the schedule alone. A node warns once
     * for each due time, although it is tried again and again.
     */
    void delay(Schedule schedule, String reason) {
        FailedTry latest = remember(schedule);
        LOG.log(
                latest.count() == 1 ? Level.WARNING : Level.DEBUG,
                "schedule {0} is due and cannot run now: {1}; it is tried again",
                schedule.id(),
                reason);
        store.postpone(schedule, latest.delay(), reason);
    }

    /** The failure is in the log. */
    void delayAfterFailure(Schedule schedule) {
        store.postpone(schedule, remember(schedule).delay(), "the service failed; its log has the cause");
    }

    private synchronized FailedTry remember(Schedule schedule) {
        FailedTry last = failedTries.remove(schedule.id());
        int count = last != null && last.concerns(schedule) ? last.count() + 1 : 1;
        Duration delay = delay(schedule.runsBatch() ? count : 1).plusMillis(random.nextInt(RETRY_JITTER_MILLIS));
        FailedTry latest = new FailedTry(
                schedule.version(),
                schedule.dueAt(),
                count,
                delay,
                clock.instant().plus(delay).plus(pollPause).plus(POLL_TOLERANCE));
        failedTries.put(schedule.id(), latest);
        if (failedTries.size() > MAX_FAILED_TRIES) {
            failedTries.remove(failedTries.keySet().iterator().next());
        }
        return latest;
    }

    private static Duration delay(int count) {
        Duration delay = RETRY_DELAY;
        for (int i = 1; i < count && delay.compareTo(MAX_RETRY_DELAY) < 0; i++) {
            delay = delay.multipliedBy(2);
        }
        return delay.compareTo(MAX_RETRY_DELAY) < 0 ? delay : MAX_RETRY_DELAY;
    }

    /** Returns whether this node failed to handle the time and leaves it to the other nodes now. */
    synchronized boolean yields(Schedule schedule) {
        FailedTry last = failedTries.get(schedule.id());
        return last != null && last.concerns(schedule) && clock.instant().isBefore(last.yieldsUntil());
    }

    void stop(Schedule schedule, String reason) {
        LOG.log(Level.WARNING, "schedule {0} is paused: {1}", schedule.id(), reason);
        store.pauseIfUnchanged(schedule, reason);
    }
}
