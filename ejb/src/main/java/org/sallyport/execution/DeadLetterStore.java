package org.sallyport.execution;

import java.util.List;
import java.util.Optional;

/**
 * Stores the executions whose jobs the broker gave up, for their retention time. Throws
 * {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface DeadLetterStore {

    /**
     * Returns one page, newest first.
     *
     * @param before only executions with a smaller id, when given
     * @param limit maximum number of dead letters
     */
    List<DeadLetter> list(String tenant, Optional<ExecutionId> before, int limit);

    /** Returns the dead letter of an execution of this tenant; empty when there is none. */
    Optional<DeadLetter> find(String tenant, ExecutionId id);

    /** Records that {@code as} redelivers {@code id}. */
    void markRedelivered(ExecutionId id, ExecutionId as);
}
