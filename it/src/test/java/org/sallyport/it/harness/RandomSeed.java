package org.sallyport.it.harness;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the chance of a test comes from: as {@code -Dchaos.seed} says, another one each time if it says nothing. Printed, so that what was
 * found can be looked for again.
 */
public record RandomSeed(long value) {
    private static final long BASE = Long.getLong("chaos.seed", System.nanoTime() & 0xffff_ffffL);
    private static final AtomicInteger COUNTER = new AtomicInteger();

    /** That of all that is not numbered. */
    public static RandomSeed fromProperty(String what) {
        return new RandomSeed(BASE).print(what);
    }

    /** One of its own for each that asks, in the order in which they do. */
    public static RandomSeed next(String what) {
        return new RandomSeed(BASE + 1_000_003L * COUNTER.getAndIncrement()).print(what);
    }

    private RandomSeed print(String what) {
        System.out.println(what + ": seed " + value + " (-Dchaos.seed=" + BASE + ")");
        return this;
    }

    /** Chance that is always the same. */
    public Random random() {
        return new Random(value);
    }

    /** As {@link #random}, another for each number. */
    public Random random(int number) {
        return new Random(value * 31 + number);
    }
}
