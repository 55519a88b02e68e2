package org.sallyport.sandbox.pool;

import java.util.HashMap;
import java.util.Map;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/** Tracks the last message and heartbeat of a worker. Written by the worker's reader thread, read by any thread. */
final class WorkerHeartbeat {
    private static final int MAX_HEAP_PERCENT = 60;
    /** In ten seconds. An intact worker sends at most 200. */
    private static final int MAX_HEARTBEATS = 2_000;

    private volatile long lastMessageNanos = System.nanoTime();
    private volatile long lastHeartbeatNanos = lastMessageNanos;
    private volatile Map<Long, Long> allocatedBySession = Map.of();
    private volatile boolean damaged;
    private volatile boolean heapFull;

    // Used only by the reader thread.
    private final FrameRateCheck rateCheck = new FrameRateCheck(MAX_HEARTBEATS, lastMessageNanos);

    /** Restarts the silence timeout: a frame arrived, or an idle worker got work again. */
    void messageReceived() {
        lastMessageNanos = System.nanoTime();
    }

    void heartbeatReceived(Frame.HeartbeatFrame beat) throws ProtocolException {
        lastHeartbeatNanos = System.nanoTime();
        rateCheck.count(lastHeartbeatNanos);
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
