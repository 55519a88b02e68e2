package org.sallyport.quota;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.cache.BoundedCaches;

/**
 * Caches the quotas of tenants on this node. A change applies after a short time. While the store is unavailable, the
 * last known values apply. Thread-safe.
 */
public final class QuotaLimits {
    private static final int MAX_ENTRIES = 10_000;

    private final QuotaStore store;
    private final Map<QuotaType, Long> defaults;
    private final LongSupplier nanos;
    private final long maxAgeNanos;
    private final Map<String, CachedQuotas> entries = BoundedCaches.ofEntries(MAX_ENTRIES);
    private final AtomicLong changeCount = new AtomicLong();

    private record CachedQuotas(Map<QuotaType, Long> overrides, long readNanos) {}

    /**
     * @param standard quotas of tenants without quotas of their own; 0 or missing for no limit
     * @param nanos a monotonic clock, in nanoseconds
     * @param fresh how long a cached value is used without a new read
     */
    public QuotaLimits(QuotaStore store, Map<QuotaType, Long> standard, LongSupplier nanos, Duration fresh) {
        this.store = store;
        this.defaults = new EnumMap<>(standard);
        this.nanos = nanos;
        this.maxAgeNanos = fresh.toNanos();
    }

    /** Returns the quota of the tenant; 0 for no limit. May block on the store. */
    public long limit(String tenant, QuotaType quota) {
        Long own = overrides(tenant).get(quota);
        return own != null ? own : defaultLimit(quota);
    }

    /** Returns the quota of tenants without quotas of their own; 0 for no limit. */
    public long defaultLimit(QuotaType quota) {
        return defaults.getOrDefault(quota, 0L);
    }

    private Map<QuotaType, Long> overrides(String tenant) {
        long now = nanos.getAsLong();
        CachedQuotas known = entries.get(tenant);
        if (known != null && now - known.readNanos() < maxAgeNanos) {
            return known.overrides();
        }
        long change = changeCount.get();
        CachedQuotas read = new CachedQuotas(readOverrides(tenant, known), now);
        entries.put(tenant, read);
        if (change != changeCount.get()) {
            entries.remove(tenant, read); // it may have been read before the change
        }
        return read.overrides();
    }

    private Map<QuotaType, Long> readOverrides(String tenant, @Nullable CachedQuotas known) {
        try {
            return store.findOverrides(tenant);
        } catch (RuntimeException e) {
            if (known == null) {
                throw e;
            }
            return known.overrides();
        }
    }

    /** Discards the cached quotas of the tenant after a change on this node. */
    public void invalidate(String tenant) {
        changeCount.incrementAndGet();
        entries.remove(tenant);
    }
}
