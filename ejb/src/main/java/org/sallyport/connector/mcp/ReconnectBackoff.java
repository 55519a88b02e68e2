package org.sallyport.connector.mcp;

import java.util.random.RandomGenerator;

/** Exponential backoff with jitter between connection attempts. Not thread-safe. */
final class ReconnectBackoff {
    private static final int MAX_DOUBLINGS = 20;

    private final long firstMillis;
    private final long maxMillis;
    private final RandomGenerator random;
    private int attempts;

    ReconnectBackoff(long firstMillis, long mostMillis, RandomGenerator random) {
        this.firstMillis = firstMillis;
        this.maxMillis = mostMillis;
        this.random = random;
    }

    /** Milliseconds until the next attempt. */
    long nextDelayMillis() {
        long doubled = firstMillis << Math.min(attempts++, MAX_DOUBLINGS);
        long bounded = Math.min(maxMillis, doubled);
        return bounded - random.nextLong(bounded / 5 + 1);
    }

    /** Starts again with the shortest delay. Called after the connection was stable for long enough. */
    void reset() {
        attempts = 0;
    }
}
