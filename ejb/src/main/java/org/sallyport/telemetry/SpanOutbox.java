package org.sallyport.telemetry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;

/**
 * Outbox of executions whose spans are not yet sent. The transaction that accepts an execution adds it. Each method is
 * one transaction or only reads; throws {@link org.sallyport.execution.StoreUnavailableException} when the store does
 * not answer. Thread-safe.
 */
public interface SpanOutbox {

    /**
     * Returns the executions of {@code ids} that have ended and whose spans are not yet sent, in the given order
     * without duplicates.
     */
    List<ExecutionId> retainUnsent(List<ExecutionId> ids);

    /** Returns an execution of any tenant. */
    Optional<Execution> find(ExecutionId id);

    /**
     * A page of ended executions.
     *
     * @param executionIds ids in ascending order
     * @param next cursor of the next page; empty when there is none
     */
    record OutboxPage(List<ExecutionId> executionIds, Optional<ExecutionId> next) {
        public OutboxPage {
            executionIds = List.copyOf(executionIds);
        }
    }

    /**
     * Lists executions that ended at least {@code age} ago.
     *
     * @param after only executions with a greater id
     * @param limit maximum number of executions to examine, ended or not
     */
    OutboxPage listEnded(Optional<ExecutionId> after, Duration age, int limit);

    /** Removes executions whose spans were sent or will never be sent. */
    void markSent(List<ExecutionId> ids);

    /**
     * Removes executions that ended at least {@code age} ago without sending their spans, at most {@code limit}.
     * Returns their number.
     */
    int dropUnsent(Duration age, int limit);
}
