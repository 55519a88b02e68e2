package org.sallyport.execution;

import java.util.Map;
import java.util.Optional;

/**
 * Counts executions, for quotas and operators. Throws {@link StoreUnavailableException} when the store does not answer.
 * Thread-safe.
 */
public interface ExecutionCounts {

    /** Returns the counts of unfinished executions, of one tenant or of all. */
    UnfinishedCounts unfinishedCounts(Optional<String> tenant);

    /** Returns how many executions of one tenant wait to start. */
    long countPending(String tenant);

    /** Returns how many executions of one tenant have not ended. */
    long countUnfinished(String tenant);

    /** Returns the number of running executions per lease owner. */
    Map<String, Integer> countRunningByLeaseOwner();

    /** Returns how many executions the tenant has submitted since {@code id} was generated. */
    int countAcceptedSince(String tenant, ExecutionId id);
}
