package org.sallyport.runner;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the tasks of all tenants on the threads of one executor. While tasks wait for a thread, the tenants take turns,
 * so that many tasks of one tenant do not delay those of the others. Thread-safe.
 */
public final class TenantExecutors {
    private final Executor threads;
    /** The waiting tasks by tenant, in the order of their turns. */
    private final Map<String, Deque<Runnable>> tasksByTenant = new LinkedHashMap<>();

    public TenantExecutors(Executor threads) {
        this.threads = threads;
    }

    /** Returns the executor of a tenant. It runs the tasks in their order, several at the same time. */
    Executor of(String tenant) {
        return task -> execute(tenant, task);
    }

    private void execute(String tenant, Runnable task) {
        synchronized (tasksByTenant) {
            tasksByTenant.computeIfAbsent(tenant, any -> new ArrayDeque<>()).add(task);
        }
        try {
            threads.execute(this::runNext);
        } catch (RejectedExecutionException e) {
            remove(tenant, task);
            throw e;
        }
    }

    private void remove(String tenant, Runnable task) {
        synchronized (tasksByTenant) {
            tasksByTenant.computeIfPresent(tenant, (any, tasks) -> {
                tasks.removeLastOccurrence(task);
                return tasks.isEmpty() ? null : tasks;
            });
        }
    }

    private void runNext() {
        Runnable task;
        synchronized (tasksByTenant) {
            Iterator<Map.Entry<String, Deque<Runnable>>> turns =
                    tasksByTenant.entrySet().iterator();
            if (!turns.hasNext()) {
                return; // Another thread ran a task that was rejected.
            }
            Map.Entry<String, Deque<Runnable>> turn = turns.next();
            String tenant = turn.getKey();
            Deque<Runnable> tasks = turn.getValue();
            turns.remove();
            task = tasks.remove();
            if (!tasks.isEmpty()) {
                tasksByTenant.put(tenant, tasks);
            }
        }
        task.run();
    }
}
