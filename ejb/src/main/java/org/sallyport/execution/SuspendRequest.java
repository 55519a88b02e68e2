package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How an execution is parked.
 *
 * @param reason what it waits for
 * @param maxWait how long at most
 * @param events what wakes it before
 * @param replyLeaseHolder the holder of the lease to whose node the answers come that it waits for
 */
public record SuspendRequest(
        Suspension.SuspensionReason reason,
        Duration maxWait,
        List<EventWait> events,
        Optional<String> replyLeaseHolder) {

    /**
     * An event that wakes.
     *
     * @param name what it is called
     * @param after the number that it comes after
     */
    public record EventWait(String name, long after) {}

    /** What becomes of the wish to park. */
    public enum SuspendResult {
        /** It is parked. */
        PARKED,
        /** The writer no longer holds the execution, or a caller asked to cancel it. */
        NOT_HELD,
        /** One of the events is there already; nothing was written. */
        EVENT_IS_THERE
    }

    public SuspendRequest {
        events = List.copyOf(events);
    }

    /** Of an execution that wakes when its time has come, or when people have decided. */
    public static SuspendRequest until(Suspension.SuspensionReason reason, Duration most) {
        return new SuspendRequest(reason, most, List.of(), Optional.empty());
    }
}
