package org.sallyport.connector;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sallyport.messaging.ToolRequestMessage;

/**
 * Calls that this node's connectors have received and not answered. Each call is answered exactly once. Thread-safe.
 */
final class InFlightCalls {
    private final Set<InFlightCall> calls = new LinkedHashSet<>();

    /** One received call and its reply address. */
    static final class InFlightCall {
        private final ToolRequestMessage request;
        private final String correlation;
        private final String replyQueue;
        private final Runnable onAnswered;
        private final long receivedNanos = System.nanoTime();
        private boolean completed;

        private InFlightCall(ToolRequestMessage request, String correlation, String replyQueue, Runnable onAnswered) {
            this.request = request;
            this.correlation = correlation;
            this.replyQueue = replyQueue;
            this.onAnswered = onAnswered;
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

        /** Milliseconds since the call was received. */
        long elapsedMillis() {
            return (System.nanoTime() - receivedNanos) / 1_000_000;
        }
    }

    /** @param onAnswered called once when the call is answered */
    synchronized InFlightCall add(
            ToolRequestMessage request, String correlation, String replyQueue, Runnable onAnswered) {
        InFlightCall held = new InFlightCall(request, correlation, replyQueue, onAnswered);
        calls.add(held);
        return held;
    }

    /** Runs {@code send} to answer the call, unless the call was answered already. */
    void completeOnce(InFlightCall held, Runnable send) {
        synchronized (this) {
            if (held.completed) {
                return;
            }
            held.completed = true;
        }
        try {
            send.run();
        } finally {
            synchronized (this) {
                calls.remove(held);
                notifyAll();
            }
            held.onAnswered.run();
        }
    }

    /**
     * Waits until all calls with a reply queue other than {@code own} are answered, at most {@code timeout}.
     *
     * @return the calls that are still not answered
     */
    synchronized List<InFlightCall> awaitForeignCalls(String own, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        List<InFlightCall> left = foreignCalls(own);
        while (!left.isEmpty() && System.nanoTime() < end) {
            wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            left = foreignCalls(own);
        }
        return left;
    }

    private List<InFlightCall> foreignCalls(String own) {
        return calls.stream().filter(held -> !held.replyQueue().equals(own)).toList();
    }
}
