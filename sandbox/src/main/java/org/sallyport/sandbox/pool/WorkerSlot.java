package org.sallyport.sandbox.pool;

import org.jspecify.annotations.Nullable;

/** What placement knows of a worker. Guarded by the lock of the placement. */
final class WorkerSlot {
    final long createdNanos = System.nanoTime();
    boolean ready;
    /** It gets no more tasks, and ends after those it has. */
    boolean retiring;

    @Nullable String tenant;

    int load;
    int assignedTasks;

    /** Whether any tenant may have it. */
    boolean isSpare() {
        return tenant == null && !retiring;
    }
}
