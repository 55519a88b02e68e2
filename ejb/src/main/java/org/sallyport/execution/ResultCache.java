package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Answers of executions that may be given to others. They are the executions themselves: what is deleted answers nobody. Every method is one
 * transaction, committed when it returns. Throws {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ResultCache {

    /**
     * Executions of a tenant that were accepted under a key and have completed, newest first.
     *
     * @param maxAge only those that did no longer ago, by the store's clock
     * @param limit at most so many
     */
    List<ExecutionId> findCompleted(String tenant, String key, Duration maxAge, int limit);

    /**
     * Stores {@code execution} as completed, with result and output of {@code first}, which must have; its trace says so. With an
     * idempotency key as {@link ExecutionStore#insert}.
     *
     * @return empty when the other has not completed or is there no more, and nothing is stored
     */
    Optional<InsertResult> insertCachedResult(NewExecution execution, ExecutionId first);
}
