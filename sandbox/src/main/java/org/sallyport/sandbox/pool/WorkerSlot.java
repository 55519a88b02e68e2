package org.sallyport.sandbox.pool;

import org.jspecify.annotations.Nullable;

/** The state of one worker in the scheduler. Guarded by the lock of {@code WorkerScheduler}. */
final class WorkerSlot {
    final long createdNanos = System.nanoTime();
    /** Whether the worker takes a single task, which shares it with no other. */
    final boolean forOneTask;

    boolean ready;
    /** Gets no more tasks, and ends when its current tasks have ended. */
    boolean retiring;

    @Nullable String tenant;

    int load;
    int assignedTasks;

    WorkerSlot(boolean forOneTask) {
        this.forOneTask = forOneTask;
    }

    /** Returns whether the worker takes tasks of any tenant that share it. */
    boolean isSpare() {
        return !forOneTask && tenant == null && !retiring;
    }

    /** Returns whether the worker has shared tasks to finish and takes no more. */
    boolean isLeaving() {
        return !forOneTask && retiring;
    }
}
