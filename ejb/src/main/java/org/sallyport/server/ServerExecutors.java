package org.sallyport.server;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.memory.FatalErrorExit;
import org.sallyport.store.jpa.Database;

/**
 * The threads of the service. What waits for the broker, for a backend or for a client does not occupy the threads of
 * what runs executions.
 */
final class ServerExecutors implements AutoCloseable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final int SINGLE_RESERVED_THREADS = 2;
    private static final int SWEEP_THREADS = Database.RESERVED_CONNECTIONS - SINGLE_RESERVED_THREADS;
    private static final int SEND_THREADS = 8;
    private static final int MAX_WAITING_SENDS = 10_000;
    private static final int CONNECTOR_THREADS = 16;

    private final ExecutorService runs;
    private final ExecutorService requests;
    private final ExecutorService connectors;
    private final ExecutorService sends;
    private final ScheduledThreadPoolExecutor sweeps;
    private final ScheduledThreadPoolExecutor scheduler;
    private final int maxCallerSends;
    private final Semaphore callerSendPermits;

    /** @param connections number of connections to the database */
    ServerExecutors(int connections) {
        this.runs = Executors.newFixedThreadPool(connections, threadFactory("sallyport-run"));
        this.requests = Executors.newFixedThreadPool(connections, threadFactory("sallyport-request"));
        this.connectors = Executors.newFixedThreadPool(CONNECTOR_THREADS, threadFactory("sallyport-backend"));
        this.sends = new ThreadPoolExecutor(
                SEND_THREADS,
                SEND_THREADS,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING_SENDS),
                threadFactory("sallyport-send"));
        this.sweeps = new ScheduledThreadPoolExecutor(SWEEP_THREADS, reservedThreadFactory("sallyport-sweep"));
        this.scheduler = new ScheduledThreadPoolExecutor(2, threadFactory("sallyport-clock"));
        // Most timeouts are cancelled; without this setting each would stay in memory until its time.
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.maxCallerSends = connections / 2;
        this.callerSendPermits = new Semaphore(maxCallerSends);
    }

    /** Runs the work of executions, which may wait for the database. */
    ExecutorService runs() {
        return runs;
    }

    /** Runs the work of requests and of those who wait for an event or for the end of an execution. */
    ExecutorService requests() {
        return requests;
    }

    /** Runs the work of backends, which may wait for them or for the broker. */
    ExecutorService connectors() {
        return connectors;
    }

    /** Sends messages, which may wait for the broker. Rejects a message when too many wait. */
    ExecutorService sends() {
        return sends;
    }

    /**
     * Sends messages of the threads of {@link #runs()}: on the calling thread while at most half of these threads do
     * so, and otherwise like {@link #sends()}. The calling thread saves a change of threads.
     */
    Executor callerSends() {
        return send -> {
            if (callerSendPermits.tryAcquire()) {
                try {
                    send.run();
                } finally {
                    callerSendPermits.release();
                }
            } else {
                sends.execute(send);
            }
        };
    }

    /** Returns how many threads of these pools may wait for the broker at the same time. */
    int maxConcurrentSends() {
        return maxCallerSends + SEND_THREADS + CONNECTOR_THREADS;
    }

    /** Runs timers, which must not block. */
    ScheduledExecutorService scheduler() {
        return scheduler;
    }

    /**
     * Runs {@code task}, which may wait for the database, repeatedly, {@code pause} after it has ended. A task that
     * fails runs again, too.
     */
    void scheduleRepeated(Runnable task, Duration pause) {
        sweeps.scheduleWithFixedDelay(
                () -> runAndLogFailure(task), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void runAndLogFailure(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            System.getLogger(ServerExecutors.class.getName())
                    .log(Level.ERROR, "a repeated task failed; it runs again", e);
        }
    }

    /** Returns an additional thread for a repeated task. */
    ScheduledExecutorService newSingleThread(String name) {
        return Executors.newSingleThreadScheduledExecutor(threadFactory(name));
    }

    /**
     * Returns an additional thread that has a database connection of its own. There are connections for
     * {@value #SINGLE_RESERVED_THREADS} such threads.
     */
    ScheduledExecutorService newReservedThread(String name) {
        return Executors.newSingleThreadScheduledExecutor(reservedThreadFactory(name));
    }

    private static ThreadFactory reservedThreadFactory(String name) {
        ThreadFactory factory = threadFactory(name);
        return task -> factory.newThread(() -> {
            Database.reserveConnection();
            task.run();
        });
    }

    static ThreadFactory threadFactory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(FatalErrorExit::handleUncaught);
            return thread;
        };
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        List<ExecutorService> pools = List.of(sweeps, runs, requests, connectors, sends);
        pools.forEach(ExecutorService::shutdown);
        long endNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        try {
            for (ExecutorService pool : pools) {
                if (!pool.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    pool.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
