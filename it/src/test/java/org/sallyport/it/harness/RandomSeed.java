package org.sallyport.it.harness;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The seed of a test's random numbers: the value of {@code -Dchaos.seed}, or a new one for each test run. It is printed
 * so that a failure can be reproduced.
 */
public record RandomSeed(long value) {
    private static final long BASE = Long.getLong("chaos.seed", System.nanoTime() & 0xffff_ffffL);
    private static final AtomicInteger COUNTER = new AtomicInteger();

    /** The base seed, for tests that need only one. */
    public static RandomSeed fromProperty(String what) {
        return new RandomSeed(BASE).print(what);
    }

    /** A different seed for each call, in the order of the calls. */
    public static RandomSeed next(String what) {
        return new RandomSeed(BASE + 1_000_003L * COUNTER.getAndIncrement()).print(what);
    }

    private RandomSeed print(String what) {
        System.out.println(what + ": seed " + value + " (-Dchaos.seed=" + BASE + ")");
        return this;
    }

    /** A generator that always gives the same sequence for this seed. */
    public Random random() {
        return new Random(value);
    }

    /** Like {@link #random()}, with a different sequence for each number. */
    public Random random(int number) {
        return new Random(value * 31 + number);
    }
}
