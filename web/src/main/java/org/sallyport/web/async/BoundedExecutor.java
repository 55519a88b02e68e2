package org.sallyport.web.async;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs a bounded number of tasks at a time, in the order of submission, on a shared executor. Most threads of that
 * executor stay free, however many tasks are submitted. Thread-safe.
 */
final class BoundedExecutor implements Executor {
    private final Executor threads;
    private final int maxConcurrent;
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private int running;

    /** @param maxConcurrent maximum number of tasks that run at the same time */
    BoundedExecutor(Executor threads, int maxConcurrent) {
        this.threads = threads;
        this.maxConcurrent = maxConcurrent;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (queue) {
            if (running == maxConcurrent) {
                queue.add(task);
                return;
            }
            running++;
        }
        threads.execute(() -> runTask(task));
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } finally {
            // Submitted again, so that it queues behind tasks that others gave to the shared executor in the meantime.
            runNext();
        }
    }

    private void runNext() {
        Runnable next;
        synchronized (queue) {
            next = queue.poll();
            if (next == null) {
                running--;
                return;
            }
        }
        threads.execute(() -> runTask(next));
    }
}
