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
public class Rates {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    /** More callers are looked through: whoever has sent nothing for two seconds has all of it again. */
    private static final int REMEMBERED = 10_000;

    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();
    private final LongSupplier nanos;
    private final long rate;

    /**
     * What a caller may still send.
     *
     * @param requests how many
     * @param at when that was so, by {@link System#nanoTime}
     * @param refused whether the last was one too many
     */
    private record Bucket(double requests, long at, boolean refused) {
        Bucket taken() {
            return requests < 1 ? new Bucket(requests, at, true) : new Bucket(requests - 1, at, false);
        }
    }

    /** For the container, which makes a proxy of it. */
    protected Rates() {
        this(0, System::nanoTime);
    }

    @Inject
    public Rates(Configuration configuration) {
        this(configuration.get(LimitSettings.REQUESTS), System::nanoTime);
    }

    /** @param rate requests in a second; 0 for as many as come */
    Rates(long rate, LongSupplier nanos) {
        this.rate = rate;
        this.nanos = nanos;
    }

    /** Takes note of a request; for how long the caller is to send no more, if it is one too many. */
    public Optional<Duration> tooMany(String caller) {
        if (rate == 0) {
            return Optional.empty();
        }
        if (buckets.size() > REMEMBERED) {
            forget();
        }
        Bucket left = buckets.compute(caller, (key, before) -> filled(before).taken());
        return left.refused()
                ? Optional.of(Duration.ofNanos((long) ((1 - left.requests()) / rate * NANOS) + 1))
                : Optional.empty();
    }

    /** What one caller may send in a second. */
    public long perSecond() {
        return rate;
    }

    private Bucket filled(@Nullable Bucket before) {
        long now = nanos.getAsLong();
        double most = 2.0 * rate;
        double requests =
                before == null ? most : Math.min(most, before.requests() + (now - before.at()) / NANOS * rate);
        return new Bucket(requests, now, false);
    }

    private void forget() {
        buckets.values().removeIf(bucket -> filled(bucket).requests() >= 2.0 * rate);
    }
}
