package org.sallyport.web.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Has tasks done a few at a time, in the order in which they came, on threads that are there for others too: however many tasks
 * there are, most of the threads stay free. Thread-safe.
 */
final class BoundedExecutor implements Executor {
    private final Executor threads;
    private final int maxConcurrent;
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private int running;

    /** @param most how many tasks are done at one time */
    BoundedExecutor(Executor threads, int most) {
        this.threads = threads;
        this.maxConcurrent = most;
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
            // Behind what others have asked the threads for in the meantime.
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
