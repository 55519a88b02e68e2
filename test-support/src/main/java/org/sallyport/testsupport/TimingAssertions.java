package org.sallyport.testsupport;

import java.time.Duration;

/** Assertions about elapsed time. What else a machine does can break them, so only {@code ./mvnw verify -Pall} makes them. */
public final class TimingAssertions {
    private static final boolean ASSERTED = Boolean.getBoolean("sallyport.test.timing");

    private TimingAssertions() {}

    /** Fails if something took longer than {@code most}, where elapsed time is asserted. */
    public static void assertAtMost(Duration most, Duration took) {
        if (ASSERTED && took.compareTo(most) > 0) {
            throw new AssertionError("took " + took + ", which is more than " + most);
        }
    }

    /** As {@link #assertAtMost}, since a moment of {@link System#nanoTime}. */
    public static void assertAtMostSince(long nanoTime, Duration most) {
        assertAtMost(most, Duration.ofNanos(System.nanoTime() - nanoTime));
    }
}
