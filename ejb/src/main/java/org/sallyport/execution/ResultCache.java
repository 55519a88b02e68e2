package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Finds and stores cached results. The cache consists of the completed executions themselves: a deleted execution
 * serves no results. Every method is one transaction, committed when it returns. Throws
 * {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ResultCache {

    /**
     * Returns completed executions of a tenant with that result key, newest first.
     *
     * @param maxAge maximum time since they completed, by the store's clock
     * @param limit maximum number of executions
     */
    List<ExecutionId> findCompleted(String tenant, String key, Duration maxAge, int limit);

    /**
     * Stores {@code execution} as completed, with the result and output of {@code first}, which must be completed; the
     * trace records this. Handles an idempotency key like {@link ExecutionStore#insert}.
     *
     * @return empty when {@code first} has not completed or no longer exists; nothing is stored then
     */
    Optional<InsertResult> insertCachedResult(NewExecution execution, ExecutionId first);
}
