package org.sallyport.sandbox.pool;

import java.util.concurrent.TimeUnit;

/**
 * Limits how often the progress of one session is reported, to twice the rate of the guest. After a pause, the reports
 * of one second may follow at once. Not thread-safe.
 */
final class ProgressRateLimiter {
    static final int MAX_PER_SECOND = 20;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long INTERVAL_NANOS = SECOND_NANOS / MAX_PER_SECOND;

    /** The reports of the time before it are used up; at most a second before the present. */
    private long usedUntilNanos;

    ProgressRateLimiter(long nowNanos) {
        usedUntilNanos = nowNanos - SECOND_NANOS;
    }

    /** Returns whether a report may be made now. */
    boolean tryAcquire(long nowNanos) {
        if (nowNanos - usedUntilNanos > SECOND_NANOS) {
            usedUntilNanos = nowNanos - SECOND_NANOS;
        }
        if (nowNanos - usedUntilNanos < INTERVAL_NANOS) {
            return false;
        }
        usedUntilNanos += INTERVAL_NANOS;
        return true;
    }
}
