package org.sallyport.web.security;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits log lines about the requests of unauthenticated clients to one in ten seconds, so that these clients cannot
 * fill the disk. Thread-safe.
 */
final class LogLineLimiter {
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private boolean logged;
    private long lastLogNanos;
    private long suppressed;

    /** @param nanos a monotonic clock, in nanoseconds */
    LogLineLimiter(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Number of lines suppressed before this one; negative if this one is suppressed, too. */
    synchronized long suppressedSinceLastLog() {
        long now = nanos.getAsLong();
        if (logged && now - lastLogNanos < LOG_INTERVAL_NANOS) {
            suppressed++;
            return -1;
        }
        long untold = suppressed;
        logged = true;
        lastLogNanos = now;
        suppressed = 0;
        return untold;
    }
}
