package org.sallyport.execution;

import java.util.Map;
import java.util.Optional;

/** Counts executions: for people who run the service. Throws {@link StoreUnavailableException}. Thread-safe. */
public interface ExecutionCounts {

    /** What has not ended, of one tenant or of all. */
    UnfinishedCounts unfinishedCounts(Optional<String> tenant);

    /** How many executions of one tenant wait to begin. */
    long countPending(String tenant);

    /** How many executions of one tenant have not ended. */
    long countUnfinished(String tenant);

    /** How many executions run, by what holds them. */
    Map<String, Integer> countRunningByLeaseHolder();

    /** How many executions of the tenant were accepted since the given id was made. */
    int countAcceptedSince(String tenant, ExecutionId id);
}
