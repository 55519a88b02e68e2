package org.sallyport.event;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.Json;

/**
 * Stores events for their retention time, in the order in which they were committed: a reader that has read up to a
 * number misses no later event. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does
 * not answer. Thread-safe.
 */
public interface EventStore {

    /**
     * A stored event.
     *
     * @param seq its sequence number
     * @param hasParkedWaiter whether a parked execution waits for it
     */
    record EmittedEvent(long seq, boolean hasParkedWaiter) {}

    /**
     * Stores an event, once for each call: a repeated call returns the same number.
     *
     * @param call ordinal of the call within the execution
     * @return empty when the fencing token no longer holds the execution
     */
    Optional<EmittedEvent> emit(String tenant, FencingToken fence, long call, String name, Json data);

    /**
     * Stores an event that no script emits, once for each idempotency key for as long as the event is kept: a repeated
     * request returns the same number.
     */
    ExternalEmitResult emitExternal(String tenant, ExternalEvent event);

    /**
     * Resumes parked executions that wait for the event of that name and number, at most {@code limit}.
     *
     * @return their jobs, to be sent
     */
    List<ExecutionJob> resumeParked(String tenant, String name, long seq, int limit);

    /**
     * Resumes parked executions like {@link #resumeParked}, of all tenants and names; covers emitters that stopped
     * before they could do so.
     */
    List<ExecutionJob> resumeMissed(int limit);

    /** Returns the first event of one of {@code names} after number {@code after}; empty when there is none. */
    Optional<ScriptEvent> findFirstAfter(String tenant, Collection<String> names, long after);

    /**
     * Returns the first event after number {@code after} for a subscriber; empty when there is none.
     *
     * @param names names of the events; empty for all
     */
    Optional<PublishedEvent> findNext(String tenant, Collection<String> names, long after);

    /** Returns the number of the first stored event of any name after {@code after}; empty when there is none. */
    OptionalLong firstSeqAfter(String tenant, long after);

    /** Returns the sequence number of the last event, 0 when there was none. */
    long lastSeq(String tenant);

    /**
     * Deletes events older than {@code age}, at most {@code limit}, of each tenant in the order of their numbers: an
     * event is kept at least as long as those before it. Returns the number of deleted events.
     */
    int purge(Duration age, int limit);
}
