package org.sallyport.testsupport;

import java.time.Duration;

/**
 * Assertions about elapsed time. Other load on the machine can make them fail, so only {@code ./mvnw verify -Pall}
 * checks them.
 */
public final class TimingAssertions {
    private static final boolean ASSERTED = Boolean.getBoolean("sallyport.test.timing");

    private TimingAssertions() {}

    /** Fails if {@code took} is longer than {@code limit} and timing assertions are enabled. */
    public static void assertAtMost(Duration limit, Duration took) {
        if (ASSERTED && took.compareTo(limit) > 0) {
            throw new AssertionError("took " + took + ", which is more than " + limit);
        }
    }

    /** Like {@link #assertAtMost}, for the time since a value of {@link System#nanoTime}. */
    public static void assertAtMostSince(long nanoTime, Duration limit) {
        assertAtMost(limit, Duration.ofNanos(System.nanoTime() - nanoTime));
    }
}
