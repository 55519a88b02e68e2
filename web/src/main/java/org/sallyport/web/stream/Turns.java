package org.sallyport.web.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Has tasks done a few at a time, in the order in which they came, on threads that are there for others too: however many tasks
 * there are, most of the threads stay free. Thread-safe.
 */
final class Turns implements Executor {
    private final Executor threads;
    private final int most;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int busy;

    /** @param most how many tasks are done at one time */
    Turns(Executor threads, int most) {
        this.threads = threads;
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            if (busy == most) {
                waiting.add(task);
                return;
            }
            busy++;
        }
        threads.execute(() -> work(task));
    }

    private void work(Runnable task) {
        try {
            task.run();
        } finally {
            // Behind what others have asked the threads for in the meantime.
            next();
        }
    }

    private void next() {
        Runnable next;
        synchronized (waiting) {
            next = waiting.poll();
            if (next == null) {
                busy--;
                return;
            }
        }
        threads.execute(() -> work(next));
    }
}
