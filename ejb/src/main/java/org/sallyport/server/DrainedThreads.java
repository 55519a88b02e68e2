package org.sallyport.server;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Threads for one kind of long work. When they are closed, they wait for the work that they have begun, at most ten
 * seconds.
 */
final class DrainedThreads implements Executor, AutoCloseable {
    private static final long CLOSE_MILLIS = 10_000;

    private final ExecutorService threads;

    DrainedThreads(String name, int count) {
        threads = Executors.newFixedThreadPool(count, ServerExecutors.threadFactory(name));
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public void close() {
        // No interrupt: interrupting a transaction could close the file of an embedded database.
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
