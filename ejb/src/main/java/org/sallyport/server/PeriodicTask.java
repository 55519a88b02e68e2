package org.sallyport.server;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A thread that repeats one task. */
final class PeriodicTask implements AutoCloseable {
    private static final long CLOSE_MILLIS = 2_000;

    private final ScheduledExecutorService thread;

    PeriodicTask(ServerExecutors threads, String name, Runnable task, Duration pause) {
        thread = threads.newSingleThread(name);
        thread.scheduleWithFixedDelay(task, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        // No immediate shutdown: interrupting a transaction could close the file of an embedded database.
        thread.shutdown();
        try {
            thread.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
