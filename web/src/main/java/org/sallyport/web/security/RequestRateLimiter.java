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
 * How many requests one caller may send to this node in a second, on average: what is left of a second may be used in the next.
 * Thread-safe.
 */
@ApplicationScoped
public class RequestRateLimiter {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    /** More callers are looked through: whoever has sent nothing for two seconds has all of it again. */
    private static final int MAX_TRACKED_CALLERS = 10_000;

    private final Map<String, RequestBucket> buckets = new ConcurrentHashMap<>();
    private final LongSupplier nanos;
    private final long rate;

    /**
     * What a caller may still send.
     *
     * @param requests how many
     * @param updatedAt when that was so, by {@link System#nanoTime}
     * @param refused whether the last was one too many
     */
    private record RequestBucket(double requests, long updatedAt, boolean refused) {
        RequestBucket afterRequest() {
            return requests < 1
                    ? new RequestBucket(requests, updatedAt, true)
                    : new RequestBucket(requests - 1, updatedAt, false);
        }
    }

    /** For the container, which makes a proxy of it. */
    protected RequestRateLimiter() {
        this(0, System::nanoTime);
    }

    @Inject
    public RequestRateLimiter(Configuration configuration) {
        this(configuration.get(LimitSettings.REQUESTS_PER_SECOND), System::nanoTime);
    }

    /** @param rate requests in a second; 0 for as many as come */
    RequestRateLimiter(long rate, LongSupplier nanos) {
        this.rate = rate;
        this.nanos = nanos;
    }

    /** Takes note of a request; for how long the caller is to send no more, if it is one too many. */
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

    /** What one caller may send in a second. */
    public long perSecond() {
        return rate;
    }

    private RequestBucket refilled(@Nullable RequestBucket before) {
        long now = nanos.getAsLong();
        double most = 2.0 * rate;
        double requests = before == null
                ? most
                : Math.min(most, before.requests() + (now - before.updatedAt()) / NANOS_PER_SECOND * rate);
        return new RequestBucket(requests, now, false);
    }

    private void removeIdle() {
        buckets.values().removeIf(bucket -> refilled(bucket).requests() >= 2.0 * rate);
    }
}
