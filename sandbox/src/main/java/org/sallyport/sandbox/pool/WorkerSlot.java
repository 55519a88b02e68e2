package org.sallyport.sandbox.pool;

import org.jspecify.annotations.Nullable;

/** The state of one worker in the scheduler. Guarded by the lock of {@code WorkerScheduler}. */
final class WorkerSlot {
    final long createdNanos = System.nanoTime();
    boolean ready;
    /** Gets no more tasks, and ends when its current tasks have ended. */
    boolean retiring;

    @Nullable String tenant;

    int load;
    int assignedTasks;

    /** Returns whether any tenant may get the worker. */
    boolean isSpare() {
        return tenant == null && !retiring;
    }
}
