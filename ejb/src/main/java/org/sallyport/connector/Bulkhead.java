package org.sallyport.connector;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.CallId;

/**
 * Limits the concurrent calls of a backend. Further calls wait in a bounded queue; calls beyond that are refused.
 * Thread-safe.
 */
final class Bulkhead {
    private final int maxRunning;
    private final int maxQueued;
    private final Executor executor;
    private final Map<CallId, QueuedCall> queue = new LinkedHashMap<>();
    private int running;

    private record QueuedCall(Runnable start, Runnable refusal) {}

    /** @param executor starts the calls that waited */
    Bulkhead(int maxRunning, int mostWaiting, Executor executor) {
        this.maxRunning = maxRunning;
        this.maxQueued = mostWaiting;
        this.executor = executor;
    }

    /**
     * Starts a call now or queues it; false if the queue is full.
     *
     * @param start starts the call, which holds a permit until {@link #release}; must not throw
     * @param refusal answers a queued call that is not started, because the executor or {@link #refuseQueued} refuses
     *     it; must not throw
     */
    boolean tryEnter(CallId id, Runnable start, Runnable refusal) {
        synchronized (this) {
            if (running >= maxRunning) {
                if (queue.size() >= maxQueued || queue.containsKey(id)) {
                    return false;
                }
                queue.put(id, new QueuedCall(start, refusal));
                return true;
            }
            running++;
        }
        start.run();
        return true;
    }

    /** Releases the permit of a started call that has ended. */
    void release() {
        for (QueuedCall next = pollQueued(); next != null; next = pollQueued()) {
            try {
                executor.execute(next.start());
                return;
            } catch (RejectedExecutionException e) {
                next.refusal().run(); // The node is stopping.
            }
        }
    }

    /** Returns the first waiting call, which takes over the permit; null if there is none, and the permit is free. */
    private synchronized @Nullable QueuedCall pollQueued() {
        var first = queue.entrySet().iterator();
        if (!first.hasNext()) {
            running--;
            return null;
        }
        QueuedCall next = first.next().getValue();
        first.remove();
        return next;
    }

    /** Refuses all waiting calls. */
    void refuseQueued() {
        List<QueuedCall> refused;
        synchronized (this) {
            refused = List.copyOf(queue.values());
            queue.clear();
        }
        refused.forEach(call -> call.refusal().run());
    }

    /** Removes a waiting call, which will not start; false if the call is not waiting. */
    synchronized boolean removeQueued(CallId id) {
        return queue.remove(id) != null;
    }

    synchronized int running() {
        return running;
    }

    synchronized int waiting() {
        return queue.size();
    }
}
