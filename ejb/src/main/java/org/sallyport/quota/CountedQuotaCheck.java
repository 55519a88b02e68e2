package org.sallyport.quota;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Checks a counted quota per tenant. The store counts the usage from time to time. In between, this node adds its own
 * additions but does not subtract removals. Therefore it recounts before it refuses, at most once per second. Nodes do
 * not coordinate; together they may exceed the quota by their additions within five seconds. Thread-safe.
 */
public final class CountedQuotaCheck {
    private static final long MIN_RECOUNT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_COUNT_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ToLongFunction<String> count;
    private final ToLongFunction<String> limitByTenant;
    private final LongSupplier nanos;
    private final Map<String, CountedUsage> usageByTenant = new ConcurrentHashMap<>();

    /** Known usage of one tenant. */
    private static final class CountedUsage {
        private final ReentrantLock countLock = new ReentrantLock();
        private long total;
        /** Part of the usage that the store may not contain yet. */
        private long unstored;

        private long countedAtNanos;
        private boolean hasCount;

        synchronized boolean tryAdd(long more, long limit) {
            if (total + more > limit) {
                return false;
            }
            total += more;
            unstored += more;
            return true;
        }

        synchronized long available(long limit) {
            return Math.max(0, limit - total);
        }

        synchronized void settle(long more, boolean stored) {
            unstored -= more;
            total -= stored ? 0 : more;
        }

        synchronized boolean isFresh(long now, long age) {
            return hasCount && now - countedAtNanos < age;
        }

        synchronized long unseen() {
            return unstored - total;
        }

        /** @param difference change against the usage before the count */
        synchronized void applyCount(long difference, long now) {
            total += difference;
            countedAtNanos = now;
            hasCount = true;
        }
    }

    /**
     * @param count counts the usage of a tenant in the store
     * @param limitByTenant the quota of a tenant; 0 for no limit, in which case the usage is not counted
     * @param nanos a clock like {@link System#nanoTime}
     */
    public CountedQuotaCheck(ToLongFunction<String> count, ToLongFunction<String> limitByTenant, LongSupplier nanos) {
        this.count = count;
        this.limitByTenant = limitByTenant;
        this.nanos = nanos;
    }

    /** Returns the quota of the tenant; 0 for no limit. */
    public long limitFor(String tenant) {
        return limitByTenant.applyAsLong(tenant);
    }

    /**
     * Reserves {@code more} of the quota if all of it fits. After a reservation the caller must call {@link #settle}.
     * Blocks on the store from time to time.
     */
    public boolean tryReserve(String tenant, long more) {
        long limit = limitFor(tenant);
        CountedUsage held = usageOf(tenant);
        if (limit == 0) {
            return held.tryAdd(more, Long.MAX_VALUE);
        }
        if (!held.isFresh(nanos.getAsLong(), MAX_COUNT_AGE_NANOS) && held.countLock.tryLock()) {
            recount(held, tenant, MAX_COUNT_AGE_NANOS);
        }
        if (held.tryAdd(more, limit)) {
            return true;
        }
        held.countLock.lock();
        recount(held, tenant, MIN_RECOUNT_NANOS);
        return held.tryAdd(more, limit);
    }

    /**
     * Returns how much more the tenant may use, at most {@code wanted}, for callers that can work with less. Blocks on
     * the store from time to time.
     */
    public long available(String tenant, long wanted) {
        long limit = limitFor(tenant);
        CountedUsage held = usageOf(tenant);
        if (limit == 0) {
            return wanted;
        }
        if (!held.isFresh(nanos.getAsLong(), MAX_COUNT_AGE_NANOS) || held.available(limit) < wanted) {
            held.countLock.lock();
            recount(held, tenant, MIN_RECOUNT_NANOS);
        }
        return Math.min(wanted, held.available(limit));
    }

    /**
     * Ends a reservation of {@link #tryReserve}.
     *
     * @param stored whether the reserved amount was stored
     */
    public void settle(String tenant, long more, boolean stored) {
        usageOf(tenant).settle(more, stored);
    }

    private CountedUsage usageOf(String tenant) {
        return usageByTenant.computeIfAbsent(tenant, any -> new CountedUsage());
    }

    /** Releases the lock. */
    private void recount(CountedUsage held, String tenant, long age) {
        try {
            if (!held.isFresh(nanos.getAsLong(), age)) {
                long unseen = held.unseen();
                held.applyCount(count.applyAsLong(tenant) + unseen, nanos.getAsLong());
            }
        } finally {
            held.countLock.unlock();
        }
    }
}
