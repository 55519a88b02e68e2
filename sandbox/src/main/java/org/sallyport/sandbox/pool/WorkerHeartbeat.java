package org.sallyport.sandbox.pool;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/** Tracks the last message and heartbeat of a worker. Written by the worker's reader thread, read by any thread. */
final class WorkerHeartbeat {
    private static final int MAX_HEAP_PERCENT = 60;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A healthy worker sends about fifty; delayed heartbeats may arrive in a burst. */
    private static final int MAX_HEARTBEATS_PER_WINDOW = 2_000;

    private volatile long lastMessageNanos = System.nanoTime();
    private volatile long lastHeartbeatNanos = lastMessageNanos;
    private volatile Map<Long, Long> allocatedBySession = Map.of();
    private volatile boolean damaged;
    private volatile boolean heapFull;

    // Used only by the reader thread.
    private long windowStartNanos = lastMessageNanos;
    private int heartbeatsInWindow;

    /** Restarts the silence timeout: a frame arrived, or an idle worker got work again. */
    void messageReceived() {
        lastMessageNanos = System.nanoTime();
    }

    void heartbeatReceived(Frame.HeartbeatFrame beat) throws ProtocolException {
        lastHeartbeatNanos = System.nanoTime();
        if (lastHeartbeatNanos - windowStartNanos > WINDOW_NANOS) {
            windowStartNanos = lastHeartbeatNanos;
            heartbeatsInWindow = 0;
        }
        if (++heartbeatsInWindow > MAX_HEARTBEATS_PER_WINDOW) {
            throw new ProtocolException("too many heartbeats");
        }
        Map<Long, Long> allocated = new HashMap<>();
        for (int i = 0; i < beat.computingSessions().size(); i++) {
            allocated.put(
                    beat.computingSessions().get(i), beat.allocatedMegabytes().get(i));
        }
        allocatedBySession = Map.copyOf(allocated);
        damaged = damaged || beat.damaged();
        heapFull = beat.heapPercent() > MAX_HEAP_PERCENT;
    }

    /** Returns the nanoseconds since the last message. */
    long silentNanos(long now) {
        return now - lastMessageNanos;
    }

    /** Returns the time ({@code System.nanoTime}) of the last heartbeat. */
    long lastHeartbeatNanos() {
        return lastHeartbeatNanos;
    }

    /** Returns the sessions that were computing at the last heartbeat, with the megabytes that each had allocated. */
    Map<Long, Long> allocatedBySession() {
        return allocatedBySession;
    }

    /** Returns whether the worker is damaged, or more than 60 % of its heap survived the last collection. */
    boolean needsReplacement() {
        return damaged || heapFull;
    }
}
