package org.sallyport.server;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of the service: a few that may block on the database or the broker, and two for timers. */
final class ServerExecutors implements AutoCloseable {
    private static final long CLOSE_MILLIS = 2_000;

    private final ExecutorService blocking;
    private final ScheduledThreadPoolExecutor scheduler;

    ServerExecutors(int blocking) {
        this.blocking = Executors.newFixedThreadPool(blocking, threadFactory("sallyport-work"));
        this.scheduler = new ScheduledThreadPoolExecutor(2, threadFactory("sallyport-clock"));
        // Most timeouts are cancelled; without this setting each would stay in memory until its time.
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    ExecutorService blocking() {
        return blocking;
    }

    ScheduledExecutorService scheduler() {
        return scheduler;
    }

    /**
     * Runs {@code task}, which may block on the database, repeatedly, {@code pause} after it was last handed to the
     * blocking threads.
     */
    void scheduleRepeated(Runnable task, Duration pause) {
        scheduler.scheduleWithFixedDelay(
                () -> blocking.execute(task), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns an additional thread for a repeated task. */
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
