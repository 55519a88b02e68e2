package org.sallyport.connector;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.sallyport.tool.CallId;

/**
 * Limits the concurrent calls of a backend. Further calls wait in a bounded queue; calls beyond that are refused.
 * Thread-safe.
 */
final class Bulkhead {
    private final int maxRunning;
    private final int maxQueued;
    private final Executor executor;
    private final Map<CallId, Runnable> queue = new LinkedHashMap<>();
    private int running;

    /** @param executor starts the calls that waited */
    Bulkhead(int maxRunning, int mostWaiting, Executor executor) {
        this.maxRunning = maxRunning;
        this.maxQueued = mostWaiting;
        this.executor = executor;
    }

    /** Starts a call now or queues it; false if the queue is full. */
    boolean tryEnter(CallId id, Runnable call) {
        synchronized (this) {
            if (running >= maxRunning) {
                if (queue.size() >= maxQueued || queue.containsKey(id)) {
                    return false;
                }
                queue.put(id, call);
                return true;
            }
            running++;
        }
        call.run();
        return true;
    }

    /** Releases the permit of a started call that has ended. */
    void release() {
        Runnable next;
        synchronized (this) {
            var first = queue.entrySet().iterator();
            if (!first.hasNext()) {
                running--;
                return;
            }
            next = first.next().getValue();
            first.remove();
        }
        executor.execute(next);
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
