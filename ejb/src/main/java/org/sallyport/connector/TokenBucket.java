package org.sallyport.connector;

import java.util.function.LongSupplier;

/** Limits unsolicited messages: a burst size, and a rate per second at which tokens are refilled. Thread-safe. */
public final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double capacity;
    private final double refillPerSecond;
    private final LongSupplier nanoTime;
    private double tokens;
    private long lastRefillNanos;

    public TokenBucket(double capacity, double perSecond, LongSupplier nanoTime) {
        this.capacity = capacity;
        this.refillPerSecond = perSecond;
        this.nanoTime = nanoTime;
        this.tokens = capacity;
        this.lastRefillNanos = nanoTime.getAsLong();
    }

    /** Takes one token; false if none is left. */
    public synchronized boolean tryAcquire() {
        long now = nanoTime.getAsLong();
        tokens = Math.min(capacity, tokens + (now - lastRefillNanos) / NANOS_PER_SECOND * refillPerSecond);
        lastRefillNanos = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
