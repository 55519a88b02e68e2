package org.sallyport.sandbox.pool;

import java.util.concurrent.TimeUnit;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * Limits how many frames of one kind a worker sends in ten seconds. Used for the heartbeats of a worker and for the
 * progress of each session, because no other limit counts them. {@link SessionFrameValidator} limits the number of all
 * other frames of a session: calls and their reservations by the limits of calls, output and the replay log by their
 * characters, and each other frame is sent once. Not thread-safe.
 */
final class FrameRateCheck {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int maxFrames;
    private long windowStartNanos;
    private int framesInWindow;

    /**
     * @param maxFrames maximum frames in ten seconds; a multiple of what an intact worker sends, because delayed frames
     *     arrive together
     */
    FrameRateCheck(int maxFrames, long nowNanos) {
        this.maxFrames = maxFrames;
        windowStartNanos = nowNanos;
    }

    /** Counts a frame that arrived now. */
    void count(long nowNanos) throws ProtocolException {
        if (nowNanos - windowStartNanos > WINDOW_NANOS) {
            windowStartNanos = nowNanos;
            framesInWindow = 0;
        }
        if (++framesInWindow > maxFrames) {
            throw new ProtocolException("too many frames of one kind");
        }
    }
}
