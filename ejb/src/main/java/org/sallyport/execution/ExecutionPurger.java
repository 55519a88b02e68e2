package org.sallyport.execution;

import java.time.Duration;

/** Deletes executions that ended long ago. Throws {@link StoreUnavailableException} when the store does not answer. Thread-safe. */
public interface ExecutionPurger {

    /**
     * Deletes some of those that ended longer than {@code age} ago, with all they own; in one transaction, each by one
     * caller. Left alone is what has not ended, and what an execution that has not ended repeats.
     *
     * @param age a day or more: clients' keys, which are promised to last as long, go with their executions
     * @param limit at most so many; fewer when they own much
     * @return whether there may be more
     */
    boolean purge(Duration age, int limit);
}
