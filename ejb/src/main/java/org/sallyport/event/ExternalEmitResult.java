package org.sallyport.event;

/** Outcome of storing an event that no script emits. */
public sealed interface ExternalEmitResult {

    /**
     * The event is committed.
     *
     * @param seq its sequence number
     * @param name its name as stored, for which scripts wait
     * @param hasParkedWaiter whether a parked execution waits for it
     * @param replayed whether an earlier request with the same key and body stored it
     */
    record ExternalEventStored(long seq, String name, boolean hasParkedWaiter, boolean replayed)
            implements ExternalEmitResult {}

    /** The key was used with another request. */
    record EventKeyConflict() implements ExternalEmitResult {}
}
