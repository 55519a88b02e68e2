package org.sallyport.sandbox.pool;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/** When a worker was heard last, and what its heartbeats tell. Written by its reader, read by all. */
final class Pulse {
    private static final int FULL_PERCENT = 60;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A healthy worker sends fifty; what was held up may come at once. */
    private static final int BEATS_PER_WINDOW = 2_000;

    private volatile long heardNanos = System.nanoTime();
    private volatile long beatNanos = heardNanos;
    private volatile Map<Long, Long> computing = Map.of();
    private volatile boolean damaged;
    private volatile boolean full;

    // Of the reader alone.
    private long windowNanos = heardNanos;
    private int beats;

    /** Something came, or it has work again after a time in which it had nothing to say. */
    void heard() {
        heardNanos = System.nanoTime();
    }

    void beat(Frame.Heartbeat beat) throws ProtocolException {
        beatNanos = System.nanoTime();
        if (beatNanos - windowNanos > WINDOW_NANOS) {
            windowNanos = beatNanos;
            beats = 0;
        }
        if (++beats > BEATS_PER_WINDOW) {
            throw new ProtocolException("a flood of heartbeats");
        }
        Map<Long, Long> told = new HashMap<>();
        for (int i = 0; i < beat.computing().size(); i++) {
            told.put(beat.computing().get(i), beat.allocated().get(i));
        }
        computing = Map.copyOf(told);
        damaged = damaged || beat.damaged();
        full = beat.heapPercent() > FULL_PERCENT;
    }

    /** Nanoseconds since something came. */
    long silence(long now) {
        return now - heardNanos;
    }

    /** When it told last what it computes. */
    long beatNanos() {
        return beatNanos;
    }

    /** The sessions that computed then, and the megabytes that each of them had asked for. */
    Map<Long, Long> computing() {
        return computing;
    }

    /** Whether it broke inside, or hardly anything of its heap can be freed. */
    boolean wantsReplacement() {
        return damaged || full;
    }
}
