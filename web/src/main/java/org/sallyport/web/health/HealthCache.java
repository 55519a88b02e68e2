package org.sallyport.web.health;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks a component at most once a second and one time at once, however many requests ask for its health: they need no
 * authentication, and must not cause work of the database or the broker. During a check, other requests get the last
 * result; without a recent one they wait for the check, for a bounded time. Thread-safe.
 */
final class HealthCache {
    /** For how long a result is given without another check. */
    static final Duration MAX_AGE = Duration.ofSeconds(1);
    /** A check that takes longer counts as failed for other requests. */
    static final Duration MAX_CHECK_TIME = Duration.ofSeconds(3);

    private final Supplier<ComponentHealth> check;
    private final LongSupplier nanos;
    private @Nullable CachedHealth latest;
    private @Nullable RunningCheck running;

    /** The result of a check that began at this time. */
    private record CachedHealth(long beginNanos, ComponentHealth health) {
        boolean isYoungerThan(Duration age, long now) {
            return now - beginNanos < age.toNanos();
        }
    }

    private record RunningCheck(long beginNanos, CompletableFuture<ComponentHealth> result) {}

    /** @param nanos a monotonic clock, in nanoseconds */
    HealthCache(Supplier<ComponentHealth> check, LongSupplier nanos) {
        this.check = check;
        this.nanos = nanos;
    }

    /** Returns the health of the component, at most a few seconds old. */
    ComponentHealth get() {
        long now = nanos.getAsLong();
        RunningCheck own = new RunningCheck(now, new CompletableFuture<>());
        @Nullable RunningCheck other;
        synchronized (this) {
            Duration maxAge = running == null ? MAX_AGE : MAX_AGE.plus(MAX_CHECK_TIME);
            if (latest != null && latest.isYoungerThan(maxAge, now)) {
                return latest.health();
            }
            other = running;
            if (other == null) {
                running = own;
            }
        }
        return other == null ? perform(own) : await(other, now);
    }

    private ComponentHealth perform(RunningCheck own) {
        ComponentHealth health = ComponentHealth.down("the check has failed");
        try {
            health = check.get();
            return health;
        } finally {
            synchronized (this) {
                latest = new CachedHealth(own.beginNanos(), health);
                running = null;
            }
            own.result().complete(health);
        }
    }

    private static ComponentHealth await(RunningCheck other, long now) {
        long nanosLeft = MAX_CHECK_TIME.toNanos() - (now - other.beginNanos());
        try {
            return other.result().get(Math.max(0, nanosLeft), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return ComponentHealth.down("the check takes longer than " + MAX_CHECK_TIME.toSeconds() + " seconds");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ComponentHealth.down("the wait for the check was interrupted");
        }
    }
}
