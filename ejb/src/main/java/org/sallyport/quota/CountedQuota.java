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
public final class CountedQuota {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ToLongFunction<String> count;
    private final ToLongFunction<String> most;
    private final LongSupplier nanos;
    private final Map<String, Held> tenants = new ConcurrentHashMap<>();

    /** What is known of one tenant. */
    private static final class Held {
        private final ReentrantLock counting = new ReentrantLock();
        private long length;
        /** Of it, what the store may not have yet. */
        private long coming;

        private long countedAt;
        private boolean counted;

        synchronized boolean enters(long more, long most) {
            if (length + more > most) {
                return false;
            }
            length += more;
            coming += more;
            return true;
        }

        synchronized long room(long most) {
            return Math.max(0, most - length);
        }

        synchronized void settle(long more, boolean stored) {
            coming -= more;
            length -= stored ? 0 : more;
        }

        synchronized boolean isFresh(long now, long age) {
            return counted && now - countedAt < age;
        }

        synchronized long unseen() {
            return coming - length;
        }

        /** @param difference to what was known before it was counted */
        synchronized void counted(long difference, long now) {
            length += difference;
            countedAt = now;
            counted = true;
        }
    }

    /**
     * @param count asks the store how much a tenant has
     * @param most how much one tenant may have; 0 for no limit, then nothing is counted
     * @param nanos as {@link System#nanoTime}
     */
    public CountedQuota(ToLongFunction<String> count, ToLongFunction<String> most, LongSupplier nanos) {
        this.count = count;
        this.most = most;
        this.nanos = nanos;
    }

    /** How much the tenant may have; 0 for no limit. */
    public long most(String tenant) {
        return most.applyAsLong(tenant);
    }

    /**
     * Counts so much more of the tenant, if there is room for all of it; then it must be told what became of it. Waits for the
     * store now and then.
     */
    public boolean take(String tenant, long more) {
        long limit = most(tenant);
        Held held = held(tenant);
        if (limit == 0) {
            return held.enters(more, Long.MAX_VALUE);
        }
        if (!held.isFresh(nanos.getAsLong(), STALE_NANOS) && held.counting.tryLock()) {
            count(held, tenant, STALE_NANOS);
        }
        if (held.enters(more, limit)) {
            return true;
        }
        held.counting.lock();
        count(held, tenant, FRESH_NANOS);
        return held.enters(more, limit);
    }

    /** How much more the tenant may have now, at most {@code wanted}: for who can do with less. Waits for the store now and then. */
    public long room(String tenant, long wanted) {
        long limit = most(tenant);
        Held held = held(tenant);
        if (limit == 0) {
            return wanted;
        }
        if (!held.isFresh(nanos.getAsLong(), STALE_NANOS) || held.room(limit) < wanted) {
            held.counting.lock();
            count(held, tenant, FRESH_NANOS);
        }
        return Math.min(wanted, held.room(limit));
    }

    /**
     * What was {@link #take taken} is stored, or will not be.
     *
     * @param stored whether it is
     */
    public void settle(String tenant, long more, boolean stored) {
        held(tenant).settle(more, stored);
    }

    private Held held(String tenant) {
        return tenants.computeIfAbsent(tenant, any -> new Held());
    }

    /** Gives the lock back. */
    private void count(Held held, String tenant, long age) {
        try {
            if (!held.isFresh(nanos.getAsLong(), age)) {
                long unseen = held.unseen();
                held.counted(count.applyAsLong(tenant) + unseen, nanos.getAsLong());
            }
        } finally {
            held.counting.unlock();
        }
    }
}
