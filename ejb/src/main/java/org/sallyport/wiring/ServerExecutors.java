package org.sallyport.wiring;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of the service: a few that may wait for the database or the broker, and two that only count down. */
final class ServerExecutors implements AutoCloseable {
    private static final long CLOSE_MILLIS = 2_000;

    private final ExecutorService blocking;
    private final ScheduledThreadPoolExecutor scheduler;

    ServerExecutors(int blocking) {
        this.blocking = Executors.newFixedThreadPool(blocking, threadFactory("sallyport-work"));
        this.scheduler = new ScheduledThreadPoolExecutor(2, threadFactory("sallyport-clock"));
        // Most timeouts never come: without this each would stay in memory until its time.
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    ExecutorService blocking() {
        return blocking;
    }

    ScheduledExecutorService scheduler() {
        return scheduler;
    }

    /** Has {@code task}, which may wait for the database, done again and again, {@code pause} after it was last begun. */
    void scheduleRepeated(Runnable task, Duration pause) {
        scheduler.scheduleWithFixedDelay(
                () -> blocking.execute(task), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** One more thread, for something that repeats. */
    ScheduledExecutorService newSingleThread(String name) {
        return Executors.newSingleThreadScheduledExecutor(threadFactory(name));
    }

    static ThreadFactory threadFactory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        blocking.shutdown();
        try {
            if (!blocking.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                blocking.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
