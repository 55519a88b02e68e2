package org.sallyport.runner;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs tasks one at a time, in order, on threads of a shared executor. Holds no thread while there are no tasks.
 * Thread-safe.
 */
final class SerialExecutor implements Executor {
    private final Executor executor;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialExecutor(Executor executor) {
        this.executor = executor;
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
        executor.execute(this::drain);
    }

    private void drain() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // One failed task must not keep those behind it from running.
                System.getLogger(SerialExecutor.class.getName()).log(Level.ERROR, "a task of an execution failed", e);
            }
        }
    }

    private @org.jspecify.annotations.Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}
