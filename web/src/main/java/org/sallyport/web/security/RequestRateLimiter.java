package org.sallyport.web.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;

/**
 * Limits the average number of requests per second of one caller on this node. A token bucket: a caller may use what it
 * left unused, up to two seconds' worth. Thread-safe.
 */
@ApplicationScoped
public class RequestRateLimiter {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    /**
     * Above this number, idle callers are removed. A caller idle for two seconds has a full bucket, so nothing is lost.
     */
    private static final int MAX_TRACKED_CALLERS = 10_000;

    private final Map<String, RequestBucket> buckets = new ConcurrentHashMap<>();
    private final LongSupplier nanos;
    private final long rate;

    /**
     * The token bucket of one caller.
     *
     * @param requests number of requests that the caller may still send
     * @param updatedAt when that number was computed, by {@link System#nanoTime}
     * @param refused whether the last request exceeded the limit
     */
    private record RequestBucket(double requests, long updatedAt, boolean refused) {
        RequestBucket afterRequest() {
            return requests < 1
                    ? new RequestBucket(requests, updatedAt, true)
                    : new RequestBucket(requests - 1, updatedAt, false);
        }
    }

    /** Required by the container, which creates a proxy of this class. */
    protected RequestRateLimiter() {
        this(0, System::nanoTime);
    }

    @Inject
    public RequestRateLimiter(Configuration configuration) {
        this(configuration.get(LimitSettings.REQUESTS_PER_SECOND), System::nanoTime);
    }

    /** @param rate requests per second; 0 for no limit */
    public RequestRateLimiter(long rate, LongSupplier nanos) {
        this.rate = rate;
        this.nanos = nanos;
    }

    /**
     * Counts a request. Returns how long the caller must wait if the request exceeds the limit; empty if it does not.
     */
    public Optional<Duration> throttle(String caller) {
        if (rate == 0) {
            return Optional.empty();
        }
        if (buckets.size() > MAX_TRACKED_CALLERS) {
            removeIdle();
        }
        RequestBucket left =
                buckets.compute(caller, (key, before) -> refilled(before).afterRequest());
        return left.refused()
                ? Optional.of(Duration.ofNanos((long) ((1 - left.requests()) / rate * NANOS_PER_SECOND) + 1))
                : Optional.empty();
    }

    /** Requests per second of one caller; 0 for no limit. */
    public long perSecond() {
        return rate;
    }

    private RequestBucket refilled(@Nullable RequestBucket before) {
        long now = nanos.getAsLong();
        double capacity = 2.0 * rate;
        double requests = before == null
                ? capacity
                : Math.min(capacity, before.requests() + (now - before.updatedAt()) / NANOS_PER_SECOND * rate);
        return new RequestBucket(requests, now, false);
    }

    private void removeIdle() {
        buckets.values().removeIf(bucket -> refilled(bucket).requests() >= 2.0 * rate);
    }
}
