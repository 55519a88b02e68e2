package org.sallyport.execution;

import java.util.List;
import java.util.Optional;

/**
 * Executions whose jobs the broker gave up, as long as they are kept. Throws {@link StoreUnavailableException} when the store
 * does not answer. Thread-safe.
 */
public interface DeadLetterStore {

    /**
     * Newest first.
     *
     * @param before only executions with a smaller id, when given
     * @param limit at most so many
     */
    List<DeadLetter> list(String tenant, Optional<ExecutionId> before, int limit);

    /** That of one execution, if it is this tenant's and there is one. */
    Optional<DeadLetter> find(String tenant, ExecutionId id);

    /** Notes that {@code as} does again what {@code id} was to do. */
    void markRedelivered(ExecutionId id, ExecutionId as);
}
