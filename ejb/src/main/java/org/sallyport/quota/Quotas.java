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
public final class Quotas {
    private static final int KEPT = 10_000;

    private final QuotaStore store;
    private final Map<Quota, Long> standard;
    private final LongSupplier nanos;
    private final long fresh;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    private record Entry(Map<Quota, Long> own, long readNanos) {}

    /**
     * @param standard what holds for whoever has nothing of his own; 0, or nothing, for no limit
     * @param nanos a clock that never goes back, in nanoseconds
     * @param fresh how long what was read is taken for the newest
     */
    public Quotas(QuotaStore store, Map<Quota, Long> standard, LongSupplier nanos, Duration fresh) {
        this.store = store;
        this.standard = new EnumMap<>(standard);
        this.nanos = nanos;
        this.fresh = fresh.toNanos();
    }

    /** How much the tenant may take up; 0 for no limit. May wait for the store. */
    public long most(String tenant, Quota quota) {
        Long own = own(tenant).get(quota);
        return own != null ? own : standard(quota);
    }

    /** How much tenants may take up who have nothing of their own; 0 for no limit. */
    public long standard(Quota quota) {
        return standard.getOrDefault(quota, 0L);
    }

    private Map<Quota, Long> own(String tenant) {
        long now = nanos.getAsLong();
        Entry known = entries.get(tenant);
        if (known != null && now - known.readNanos() < fresh) {
            return known.own();
        }
        long change = changes.get();
        Entry read = new Entry(read(tenant, known), now);
        if (entries.size() >= KEPT) {
            entries.clear();
        }
        entries.put(tenant, read);
        if (change != changes.get()) {
            entries.remove(tenant, read); // it may have been read before the change
        }
        return read.own();
    }

    private Map<Quota, Long> read(String tenant, @Nullable Entry known) {
        try {
            return store.of(tenant);
        } catch (RuntimeException e) {
            if (known == null) {
                throw e;
            }
            return known.own();
        }
    }

    /** The tenant's quotas were changed here. */
    public void changed(String tenant) {
        changes.incrementAndGet();
        entries.remove(tenant);
    }
}
