package org.sallyport.sandbox.pool;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/** When a worker was heard last, and what its heartbeats tell. Written by its reader, read by all. */
final class WorkerHeartbeat {
    private static final int MAX_HEAP_PERCENT = 60;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A healthy worker sends fifty; what was held up may come at once. */
    private static final int MAX_HEARTBEATS_PER_WINDOW = 2_000;

    private volatile long lastMessageNanos = System.nanoTime();
    private volatile long lastHeartbeatNanos = lastMessageNanos;
    private volatile Map<Long, Long> allocatedBySession = Map.of();
    private volatile boolean damaged;
    private volatile boolean heapFull;

    // Of the reader alone.
    private long windowStartNanos = lastMessageNanos;
    private int heartbeatsInWindow;

    /** Something came, or it has work again after a time in which it had nothing to say. */
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
            throw new ProtocolException("a flood of heartbeats");
        }
        Map<Long, Long> told = new HashMap<>();
        for (int i = 0; i < beat.computingSessions().size(); i++) {
            told.put(beat.computingSessions().get(i), beat.allocatedMegabytes().get(i));
        }
        allocatedBySession = Map.copyOf(told);
        damaged = damaged || beat.damaged();
        heapFull = beat.heapPercent() > MAX_HEAP_PERCENT;
    }

    /** Nanoseconds since something came. */
    long silentNanos(long now) {
        return now - lastMessageNanos;
    }

    /** When it told last what it computes. */
    long lastHeartbeatNanos() {
        return lastHeartbeatNanos;
    }

    /** The sessions that computed then, and the megabytes that each of them had asked for. */
    Map<Long, Long> allocatedBySession() {
        return allocatedBySession;
    }

    /** Whether it broke inside, or hardly anything of its heap can be freed. */
    boolean needsReplacement() {
        return damaged || heapFull;
    }
}
