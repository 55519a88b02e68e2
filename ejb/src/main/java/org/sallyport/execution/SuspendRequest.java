package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A request to park an execution.
 *
 * @param reason the kind of wait condition
 * @param maxWait maximum time until it resumes
 * @param events events that resume it earlier
 * @param replyLeaseOwner the lease owner of the node that receives the replies for which it waits
 */
public record SuspendRequest(
        Suspension.SuspensionReason reason,
        Duration maxWait,
        List<EventWait> events,
        Optional<String> replyLeaseOwner) {

    /**
     * An event that resumes the execution.
     *
     * @param name its name
     * @param after only events with a larger number count
     */
    public record EventWait(String name, long after) {}

    /** Outcome of a request to park. */
    public enum SuspendResult {
        /** The execution is parked. */
        PARKED,
        /** A client requested the cancellation of the execution, which the writer still holds; nothing was written. */
        CANCEL_REQUESTED,
        /**
         * The writer no longer holds the execution, or the store has lost entries that were stored before; nothing was
         * written.
         */
        LOST,
        /** One of the events already exists; nothing was written. */
        EVENT_IS_THERE
    }

    public SuspendRequest {
        events = List.copyOf(events);
    }

    /** Returns a request without events and pending replies: for a timer or an approval. */
    public static SuspendRequest until(Suspension.SuspensionReason reason, Duration maxWait) {
        return new SuspendRequest(reason, maxWait, List.of(), Optional.empty());
    }
}
