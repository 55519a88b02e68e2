package org.sallyport.it.harness;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Polls until a condition holds or a time limit expires. */
public final class Await {
    private static final long MIN_PAUSE_MILLIS = 25;
    /** Reached after a second. Most conditions are requests, which the server answers at the cost of other tests. */
    private static final long MAX_PAUSE_MILLIS = 250;

    private Await() {}

    /**
     * Returns once {@code condition} holds. Throws {@link AssertionError} that names {@code what} if it does not hold
     * in time.
     */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        untilPresent(what, limit, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    /**
     * Returns the first value that {@code supplier} supplies. Throws {@link AssertionError} that names {@code what} if
     * it supplies none in time.
     */
    public static <T> T untilPresent(String what, Duration limit, Supplier<Optional<T>> supplier) {
        long end = System.nanoTime() + limit.toNanos();
        long pauseMillis = MIN_PAUSE_MILLIS;
        while (true) {
            Optional<T> found = supplier.get();
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit.toMillis() + " ms: " + what);
            }
            pause(pauseMillis);
            pauseMillis = Math.min(MAX_PAUSE_MILLIS, pauseMillis * 5 / 4);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
