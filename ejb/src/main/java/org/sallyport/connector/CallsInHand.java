package org.sallyport.connector;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sallyport.messaging.ToolRequestMessage;

/** Calls that connectors of this node have and that are not answered. Each is answered once. Thread-safe. */
final class CallsInHand {
    private final Set<Held> all = new LinkedHashSet<>();

    /** One of them. */
    static final class Held {
        private final ToolRequestMessage request;
        private final String correlation;
        private final String replyQueue;
        private final long takenNanos = System.nanoTime();
        private boolean settled;

        private Held(ToolRequestMessage request, String correlation, String replyQueue) {
            this.request = request;
            this.correlation = correlation;
            this.replyQueue = replyQueue;
        }

        ToolRequestMessage request() {
            return request;
        }

        String correlation() {
            return correlation;
        }

        String replyQueue() {
            return replyQueue;
        }

        /** For how long it has been in hand. */
        long millis() {
            return (System.nanoTime() - takenNanos) / 1_000_000;
        }
    }

    synchronized Held take(ToolRequestMessage request, String correlation, String replyQueue) {
        Held held = new Held(request, correlation, replyQueue);
        all.add(held);
        return held;
    }

    /** Sends its answer by {@code send}, unless it has had one. */
    void settle(Held held, Runnable send) {
        synchronized (this) {
            if (held.settled) {
                return;
            }
            held.settled = true;
        }
        try {
            send.run();
        } finally {
            synchronized (this) {
                all.remove(held);
                notifyAll();
            }
        }
    }

    /**
     * Waits until those are answered whose answers go elsewhere than to {@code own}, {@code most} at most.
     *
     * @return those that are left
     */
    synchronized List<Held> awaitOthers(String own, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        List<Held> left = others(own);
        while (!left.isEmpty() && System.nanoTime() < end) {
            wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            left = others(own);
        }
        return left;
    }

    private List<Held> others(String own) {
        return all.stream().filter(held -> !held.replyQueue().equals(own)).toList();
    }
}
