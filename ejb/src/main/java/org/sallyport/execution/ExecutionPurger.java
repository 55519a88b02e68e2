package org.sallyport.execution;

import java.time.Duration;

/**
 * Deletes executions whose retention time has passed. Throws {@link StoreUnavailableException} when the store does not
 * answer. Thread-safe.
 */
public interface ExecutionPurger {

    /**
     * Deletes some of the executions that ended longer than {@code age} ago, with all data they own, in one
     * transaction. Concurrent callers delete different executions. Keeps unfinished executions and the originals of
     * unfinished re-runs.
     *
     * @param age at least one day: idempotency keys, which are promised to last as long, are deleted with their
     *     executions
     * @param limit maximum number of executions; fewer are deleted when they own much data
     * @return whether there may be more
     */
    boolean purge(Duration age, int limit);
}
