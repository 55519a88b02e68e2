package org.sallyport.quota;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * How much of something one tenant may have. The store counts it now and then, and in between everything that this
 * node adds counts and nothing that goes: so it is counted again before anybody is refused, once a second at most. Nodes do not
 * ask each other; together they may add more by what they add in five seconds. Thread-safe.
 */
public final class CountedQuotaCheck {
    private static final long MIN_RECOUNT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_COUNT_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ToLongFunction<String> count;
    private final ToLongFunction<String> limitByTenant;
    private final LongSupplier nanos;
    private final Map<String, CountedUsage> usageByTenant = new ConcurrentHashMap<>();

    /** What is known of one tenant. */
    private static final class CountedUsage {
        private final ReentrantLock countLock = new ReentrantLock();
        private long total;
        /** Of it, what the store may not have yet. */
        private long unstored;

        private long countedAtNanos;
        private boolean hasCount;

        synchronized boolean tryAdd(long more, long most) {
            if (total + more > most) {
                return false;
            }
            total += more;
            unstored += more;
            return true;
        }

        synchronized long available(long most) {
            return Math.max(0, most - total);
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

        /** @param difference to what was known before it was counted */
        synchronized void applyCount(long difference, long now) {
            total += difference;
            countedAtNanos = now;
            hasCount = true;
        }
    }

    /**
     * @param count asks the store how much a tenant has
     * @param most how much one tenant may have; 0 for no limit, then nothing is counted
     * @param nanos as {@link System#nanoTime}
     */
    public CountedQuotaCheck(ToLongFunction<String> count, ToLongFunction<String> most, LongSupplier nanos) {
        this.count = count;
        this.limitByTenant = most;
        this.nanos = nanos;
    }

    /** How much the tenant may have; 0 for no limit. */
    public long limitFor(String tenant) {
        return limitByTenant.applyAsLong(tenant);
    }

    /**
     * Counts so much more of the tenant, if there is room for all of it; then it must be told what became of it. Waits for the
     * store now and then.
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

    /** How much more the tenant may have now, at most {@code wanted}: for who can do with less. Waits for the store now and then. */
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
     * What was {@link #tryReserve taken} is stored, or will not be.
     *
     * @param stored whether it is
     */
    public void settle(String tenant, long more, boolean stored) {
        usageOf(tenant).settle(more, stored);
    }

    private CountedUsage usageOf(String tenant) {
        return usageByTenant.computeIfAbsent(tenant, any -> new CountedUsage());
    }

    /** Gives the lock back. */
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
