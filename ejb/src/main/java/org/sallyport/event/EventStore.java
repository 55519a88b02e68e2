package org.sallyport.event;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.execution.Fence;
import org.sallyport.tool.Json;

/**
 * Keeps events for a while, in the order in which they were committed: whoever read up to some number misses none that comes
 * later. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface EventStore {

    /**
     * Adds an event, once for each call: the same call again gives the same number.
     *
     * @param call ordinal of the call within the execution
     * @return its number, empty when the fence holds the execution no more
     */
    OptionalLong emit(String tenant, Fence fence, long call, String name, Json data);

    /** The first event of one of {@code names} after number {@code after}. */
    Optional<Event> firstAfter(String tenant, Collection<String> names, long after);

    /** Number of the last event, 0 when there was none. */
    long last(String tenant);

    /** Forgets events older than {@code age}, {@code limit} at most; how many. */
    int purge(Duration age, int limit);
}
