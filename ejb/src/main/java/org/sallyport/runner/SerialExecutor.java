package org.sallyport.runner;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time, in order, on threads of a shared executor. Holds no thread while there are no tasks, and
 * leaves its thread to others after some milliseconds. Thread-safe.
 */
final class SerialExecutor implements Executor {
    /** Time after which further tasks wait for a thread again. */
    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LongSupplier nanos;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private volatile Executor executor;
    private boolean running;

    SerialExecutor(Executor executor) {
        this(executor, System::nanoTime);
    }

    /** @param nanos a clock, in nanoseconds */
    SerialExecutor(Executor executor, LongSupplier nanos) {
        this.executor = executor;
        this.nanos = nanos;
    }

    /** Runs the tasks on another executor from now on. */
    void moveTo(Executor other) {
        executor = other;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        executor.execute(this::runTasks);
    }

    private void runTasks() {
        long start = nanos.getAsLong();
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // One failed task must not keep those behind it from running.
                System.getLogger(SerialExecutor.class.getName()).log(Level.ERROR, "a task of an execution failed", e);
            }
            if (nanos.getAsLong() - start > MAX_NANOS && hasTasks() && hasLeftThread()) {
                return;
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }

    private boolean hasTasks() {
        synchronized (tasks) {
            return !tasks.isEmpty();
        }
    }

    /** Returns whether another thread continues; false if the executor is shut down. */
    private boolean hasLeftThread() {
        try {
            executor.execute(this::runTasks);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }
}
