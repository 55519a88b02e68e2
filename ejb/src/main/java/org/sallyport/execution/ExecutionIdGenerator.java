package org.sallyport.execution;

import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Generates ids: UUID version 7 (RFC 9562, 5.7), strictly increasing within this process. Thread-safe. */
public final class ExecutionIdGenerator {
    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final RandomGenerator random;
    private long lastTicks;

    public ExecutionIdGenerator(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** Returns the next id. */
    public ExecutionId next() {
        long ticks = nextTicks();
        // 48 bits of milliseconds, then 12 bits that count within the millisecond (RFC 9562, 6.2, method 3).
        long high = ((ticks >>> 12) << 16) | VERSION_7 | (ticks & 0xFFF);
        long low = VARIANT | (random.nextLong() >>> 2);
        return new ExecutionId(new UUID(high, low));
    }

    /**
     * Returns an id that is smaller than all ids generated at {@code time} or later, and larger than all generated
     * before.
     */
    public static ExecutionId lowestIdAt(Instant time) {
        return new ExecutionId(new UUID((time.toEpochMilli() << 16) | VERSION_7, VARIANT));
    }

    private synchronized long nextTicks() {
        lastTicks = Math.max(lastTicks + 1, clock.millis() << 12);
        return lastTicks;
    }
}
