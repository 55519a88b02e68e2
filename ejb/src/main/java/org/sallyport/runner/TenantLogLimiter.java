package org.sallyport.runner;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.sallyport.cache.RecentEntries;

/**
 * Limits log lines about events that scripts cause to one a minute per tenant, so that the events of one tenant hide
 * none of another's. Thread-safe.
 */
final class TenantLogLimiter {
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Beyond this number of tenants, the counters of the tenant whose last event is the oldest start again. */
    private static final int MAX_TENANTS = 1_000;

    private final LongSupplier nanoTime;
    private final RecentEntries<String, TenantEvents> tenants = new RecentEntries<>(MAX_TENANTS);

    private record TenantEvents(LongAdder count, AtomicLong nextLogNanos) {}

    /** @param nanoTime a monotonic clock, in nanoseconds */
    TenantLogLimiter(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Counts an event of a tenant. Returns the number of its events so far if this one is to be logged; empty if the
     * tenant's last line is too recent.
     */
    OptionalLong tryAcquire(String tenant) {
        long now = nanoTime.getAsLong();
        TenantEvents events = tenants.update(
                tenant, (key, known) -> known == null ? new TenantEvents(new LongAdder(), new AtomicLong(now)) : known);
        events.count().increment();
        long due = events.nextLogNanos().get();
        return now - due >= 0 && events.nextLogNanos().compareAndSet(due, now + LOG_INTERVAL_NANOS)
                ? OptionalLong.of(events.count().sum())
                : OptionalLong.empty();
    }
}
