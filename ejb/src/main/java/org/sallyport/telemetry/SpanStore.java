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
public interface SpanStore {

    /** Those of {@code ids} that have ended and whose spans are yet to be sent, in that order and each once. */
    List<ExecutionId> owed(List<ExecutionId> ids);

    /** An execution, whoever's it is. */
    Optional<Execution> find(ExecutionId id);

    /**
     * Some of those that have ended.
     *
     * @param ended in the order of their ids
     * @param next where to go on; empty when there are no more
     */
    record Page(List<ExecutionId> ended, Optional<ExecutionId> next) {
        public Page {
            ended = List.copyOf(ended);
        }
    }

    /**
     * Those that ended at least {@code age} ago.
     *
     * @param after only those with a greater id
     * @param limit looks at no more than so many, ended or not
     */
    Page look(Optional<ExecutionId> after, Duration age, int limit);

    /** Their spans were sent, or never will be. */
    void told(List<ExecutionId> ids);

    /** The spans of those that ended at least {@code age} ago are not sent any more; how many, at most {@code limit}. */
    int forget(Duration age, int limit);
}
