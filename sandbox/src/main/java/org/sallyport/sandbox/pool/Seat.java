package org.sallyport.sandbox.pool;

import org.jspecify.annotations.Nullable;

/** What placement knows of a worker. Guarded by the lock of the placement. */
final class Seat {
    final long since = System.nanoTime();
    boolean ready;
    /** It gets no more tasks, and ends after those it has. */
    boolean leaving;

    @Nullable String tenant;

    int load;
    int tasks;

    /** Whether any tenant may have it. */
    boolean spare() {
        return tenant == null && !leaving;
    }
}
