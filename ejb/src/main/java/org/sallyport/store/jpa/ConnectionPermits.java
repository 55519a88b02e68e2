package org.sallyport.store.jpa;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Permits for the connections to the database. A few threads need no permit, so that a connection is free for each of
 * them however many other threads wait for one. Thread-safe.
 */
final class ConnectionPermits {
    /** Whether the current thread needs no permit, or has one already. */
    private static final ThreadLocal<Boolean> ADMITTED = ThreadLocal.withInitial(() -> false);

    private final Semaphore permits;
    private final long timeoutMillis;

    /**
     * @param connections number of connections for threads that need a permit
     * @param timeout how long a thread waits for a permit
     */
    ConnectionPermits(int connections, Duration timeout) {
        this.permits = new Semaphore(connections, true);
        this.timeoutMillis = timeout.toMillis();
    }

    /** From now on, the current thread needs no permit. */
    static void exemptCurrentThread() {
        ADMITTED.set(true);
    }

    /**
     * Runs {@code work} with a permit and returns its result. Work inside this work shares the permit.
     *
     * @throws StoreUnavailableException if no permit becomes free in time; {@code work} did not run then
     */
    <T> T run(Supplier<T> work) {
        if (ADMITTED.get()) {
            return work.get();
        }
        acquire();
        ADMITTED.set(true);
        try {
            return work.get();
        } finally {
            ADMITTED.set(false);
            permits.release();
        }
    }

    private void acquire() {
        try {
            if (!permits.tryAcquire(timeoutMillis, TimeUnit.MILLISECONDS)) {
                throw new StoreUnavailableException(
                        "no connection to the database became free",
                        new TimeoutException("all were in use for " + timeoutMillis + " ms"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while waiting for a connection to the database", e);
        }
    }
}
