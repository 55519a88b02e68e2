package org.sallyport.connector;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.sallyport.tool.CallId;

/** Lets so many calls of a backend go at one time, lets so many more wait for their turn, and no more. Thread-safe. */
final class Bulkhead {
    private final int maxRunning;
    private final int maxQueued;
    private final Executor executor;
    private final Map<CallId, Runnable> queue = new LinkedHashMap<>();
    private int running;

    /** @param executor begins those that waited */
    Bulkhead(int most, int mostWaiting, Executor executor) {
        this.maxRunning = most;
        this.maxQueued = mostWaiting;
        this.executor = executor;
    }

    /** Begins a call now or in its turn; false when there is no room for it. */
    boolean tryEnter(CallId id, Runnable begin) {
        synchronized (this) {
            if (running >= maxRunning) {
                if (queue.size() >= maxQueued || queue.containsKey(id)) {
                    return false;
                }
                queue.put(id, begin);
                return true;
            }
            running++;
        }
        begin.run();
        return true;
    }

    /** A call that had begun has ended. */
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

    /** Whether a call was still waiting; it will not begin. */
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
