package org.sallyport.connector.mcp;

import java.util.random.RandomGenerator;

/** How long to wait before the next try: longer each time, and never all at the same moment. Not thread-safe. */
final class Backoff {
    private static final int MOST_DOUBLINGS = 20;

    private final long firstMillis;
    private final long mostMillis;
    private final RandomGenerator random;
    private int tries;

    Backoff(long firstMillis, long mostMillis, RandomGenerator random) {
        this.firstMillis = firstMillis;
        this.mostMillis = mostMillis;
        this.random = random;
    }

    /** Milliseconds until the next try. */
    long next() {
        long doubled = firstMillis << Math.min(tries++, MOST_DOUBLINGS);
        long bounded = Math.min(mostMillis, doubled);
        return bounded - random.nextLong(bounded / 5 + 1);
    }

    /** It went well for long enough. */
    void reset() {
        tries = 0;
    }
}
