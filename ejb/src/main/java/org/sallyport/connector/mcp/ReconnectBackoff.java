package org.sallyport.connector.mcp;

import java.util.random.RandomGenerator;

/** How long to wait before the next try: longer each time, and never all at the same moment. Not thread-safe. */
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

    /** Milliseconds until the next try. */
    long nextDelayMillis() {
        long doubled = firstMillis << Math.min(attempts++, MAX_DOUBLINGS);
        long bounded = Math.min(maxMillis, doubled);
        return bounded - random.nextLong(bounded / 5 + 1);
    }

    /** It went well for long enough. */
    void reset() {
        attempts = 0;
    }
}
