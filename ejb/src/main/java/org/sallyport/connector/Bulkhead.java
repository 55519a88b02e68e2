package org.sallyport.connector;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.sallyport.tool.CallId;

/** Lets so many calls of a backend go at one time, lets so many more wait for their turn, and no more. Thread-safe. */
final class Bulkhead {
    private final int most;
    private final int mostWaiting;
    private final Executor executor;
    private final Map<CallId, Runnable> waiting = new LinkedHashMap<>();
    private int running;

    /** @param executor begins those that waited */
    Bulkhead(int most, int mostWaiting, Executor executor) {
        this.most = most;
        this.mostWaiting = mostWaiting;
        this.executor = executor;
    }

    /** Begins a call now or in its turn; false when there is no room for it. */
    boolean enter(CallId id, Runnable begin) {
        synchronized (this) {
            if (running >= most) {
                if (waiting.size() >= mostWaiting || waiting.containsKey(id)) {
                    return false;
                }
                waiting.put(id, begin);
                return true;
            }
            running++;
        }
        begin.run();
        return true;
    }

    /** A call that had begun has ended. */
    void leave() {
        Runnable next;
        synchronized (this) {
            var first = waiting.entrySet().iterator();
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
    synchronized boolean withdraw(CallId id) {
        return waiting.remove(id) != null;
    }

    synchronized int running() {
        return running;
    }

    synchronized int waiting() {
        return waiting.size();
    }
}
