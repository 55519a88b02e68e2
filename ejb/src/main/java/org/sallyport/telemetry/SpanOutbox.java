package org.sallyport.telemetry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;

/**
 * Whose spans are yet to be sent: noted in the transaction that accepts an execution. Each method is one transaction or reads; throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface SpanOutbox {

    /** Those of {@code ids} that have ended and whose spans are yet to be sent, in that order and each once. */
    List<ExecutionId> retainUnsent(List<ExecutionId> ids);

    /** An execution, whoever's it is. */
    Optional<Execution> find(ExecutionId id);

    /**
     * Some of those that have ended.
     *
     * @param executionIds in the order of their ids
     * @param next where to go on; empty when there are no more
     */
    record OutboxPage(List<ExecutionId> executionIds, Optional<ExecutionId> next) {
        public OutboxPage {
            executionIds = List.copyOf(executionIds);
        }
    }

    /**
     * Those that ended at least {@code age} ago.
     *
     * @param after only those with a greater id
     * @param limit looks at no more than so many, ended or not
     */
    OutboxPage listEnded(Optional<ExecutionId> after, Duration age, int limit);

    /** Their spans were sent, or never will be. */
    void markSent(List<ExecutionId> ids);

    /** The spans of those that ended at least {@code age} ago are not sent any more; how many, at most {@code limit}. */
    int dropUnsent(Duration age, int limit);
}
