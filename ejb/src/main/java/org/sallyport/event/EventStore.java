package org.sallyport.event;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.Json;

/**
 * Keeps events for a while, in the order in which they were committed: whoever read up to some number misses none that comes
 * later. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface EventStore {

    /**
     * What was emitted.
     *
     * @param seq its number
     * @param hasParkedWaiter whether a parked execution waits for it
     */
    record EmittedEvent(long seq, boolean hasParkedWaiter) {}

    /**
     * Adds an event, once for each call: the same call again gives the same number.
     *
     * @param call ordinal of the call within the execution
     * @return empty when the fence holds the execution no more
     */
    Optional<EmittedEvent> emit(String tenant, FencingToken fence, long call, String name, Json data);

    /**
     * Lets parked executions go on that wait for the event of that name and number, {@code limit} at most.
     *
     * @return their jobs, to be sent
     */
    List<ExecutionJob> resumeParked(String tenant, String name, long seq, int limit);

    /** As {@link #resumeParked}, of all tenants and names: for when whoever emitted could not say so any more. */
    List<ExecutionJob> resumeMissed(int limit);

    /** The first event of one of {@code names} after number {@code after}. */
    Optional<ScriptEvent> findFirstAfter(String tenant, Collection<String> names, long after);

    /** Number of the last event, 0 when there was none. */
    long lastSeq(String tenant);

    /** Forgets events older than {@code age}, {@code limit} at most; how many. */
    int purge(Duration age, int limit);
}
