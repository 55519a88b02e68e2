package org.sallyport.execution;

import java.util.Map;
import java.util.Optional;

/** Counts executions: for people who run the service. Throws {@link StoreUnavailableException}. Thread-safe. */
public interface Census {

    /** What has not ended, of one tenant or of all. */
    Backlog backlog(Optional<String> tenant);

    /** How many executions of one tenant wait to begin. */
    long pending(String tenant);

    /** How many executions of one tenant have not ended. */
    long live(String tenant);

    /** How many executions run, by what holds them. */
    Map<String, Integer> running();

    /** How many executions of the tenant were accepted since the given id was made. */
    int acceptedSince(String tenant, ExecutionId id);
}
