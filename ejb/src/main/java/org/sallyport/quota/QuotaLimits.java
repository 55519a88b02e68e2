package org.sallyport.quota;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much tenants may take up, as this node knows it: a change is heard after a moment, and while the store is away the last
 * that was heard holds. Thread-safe.
 */
public final class QuotaLimits {
    private static final int MAX_ENTRIES = 10_000;

    private final QuotaStore store;
    private final Map<QuotaType, Long> defaults;
    private final LongSupplier nanos;
    private final long maxAgeNanos;
    private final Map<String, CachedQuotas> entries = new ConcurrentHashMap<>();
    private final AtomicLong changeCount = new AtomicLong();

    private record CachedQuotas(Map<QuotaType, Long> overrides, long readNanos) {}

    /**
     * @param standard what holds for whoever has nothing of his own; 0, or nothing, for no limit
     * @param nanos a clock that never goes back, in nanoseconds
     * @param fresh how long what was read is taken for the newest
     */
    public QuotaLimits(QuotaStore store, Map<QuotaType, Long> standard, LongSupplier nanos, Duration fresh) {
        this.store = store;
        this.defaults = new EnumMap<>(standard);
        this.nanos = nanos;
        this.maxAgeNanos = fresh.toNanos();
    }

    /** How much the tenant may take up; 0 for no limit. May wait for the store. */
    public long limit(String tenant, QuotaType quota) {
        Long own = overrides(tenant).get(quota);
        return own != null ? own : defaultLimit(quota);
    }

    /** How much tenants may take up who have nothing of their own; 0 for no limit. */
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
        if (entries.size() >= MAX_ENTRIES) {
            entries.clear();
        }
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

    /** The tenant's quotas were changed here. */
    public void invalidate(String tenant) {
        changeCount.incrementAndGet();
        entries.remove(tenant);
    }
}
