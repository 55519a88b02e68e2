package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Starts the next execution of a concurrency key after one has ended on this node. The store decides which execution
 * starts. Sweepers find keys whose executions ended on other nodes, and those that were missed. Thread-safe.
 */
public final class ConcurrencyKeyScheduler {
    private static final Logger LOG = System.getLogger(ConcurrencyKeyScheduler.class.getName());

    private final ExecutionStore store;
    private final JobDispatcher dispatch;
    private final Executor executor;

    /** @param executor runs the blocking store access */
    public ConcurrencyKeyScheduler(ExecutionStore store, JobDispatcher dispatch, Executor executor) {
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /** Starts the next execution of that tenant and key after one has ended. Never blocks. */
    public void onExecutionEnded(String tenant, String key) {
        try {
            executor.execute(() -> startNext(tenant, key));
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "the node is shutting down; the next start grants the concurrency key", e);
        }
    }

    private void startNext(String tenant, String key) {
        try {
            store.grantTurns(tenant, key).forEach(dispatch::enqueue);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "a concurrency key cannot be granted while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a concurrency key could not be granted; the next sweep tries again", e);
        }
    }
}
