package org.sallyport.submission;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.sallyport.execution.Census;

/**
 * How many executions of one tenant may wait to begin. The store counts them now and then, and in between every one that this
 * node accepts counts and none that begins: so it is counted again before anybody is refused, once a second at most. Nodes do not
 * ask each other; together they may accept more by what they accept in five seconds. Thread-safe.
 */
final class QueueLimit {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Census census;
    private final long most;
    private final LongSupplier nanos;
    private final Map<String, Queue> queues = new ConcurrentHashMap<>();

    /** What is known of one tenant's queue. */
    private static final class Queue {
        private final ReentrantLock counting = new ReentrantLock();
        private long length;
        /** Of them, what the store may not have yet. */
        private long coming;

        private long countedAt;
        private boolean counted;

        synchronized boolean enters(int more, long most) {
            if (length + more > most) {
                return false;
            }
            length += more;
            coming += more;
            return true;
        }

        synchronized void settle(int more, boolean stored) {
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
     * @param most how many one tenant may have
     * @param nanos as {@link System#nanoTime}
     */
    QueueLimit(Census census, long most, LongSupplier nanos) {
        this.census = census;
        this.most = most;
        this.nanos = nanos;
    }

    long most() {
        return most;
    }

    /**
     * Counts so many more of the tenant, if there is room for all of them; then it must be told what became of them. Waits for the
     * store now and then.
     */
    boolean take(String tenant, int more) {
        Queue queue = queue(tenant);
        if (!queue.isFresh(nanos.getAsLong(), STALE_NANOS) && queue.counting.tryLock()) {
            count(queue, tenant, STALE_NANOS);
        }
        if (queue.enters(more, most)) {
            return true;
        }
        queue.counting.lock();
        count(queue, tenant, FRESH_NANOS);
        return queue.enters(more, most);
    }

    /**
     * What was {@link #take taken} is stored, or will not be.
     *
     * @param stored whether it is
     */
    void settle(String tenant, int more, boolean stored) {
        queue(tenant).settle(more, stored);
    }

    private Queue queue(String tenant) {
        return queues.computeIfAbsent(tenant, any -> new Queue());
    }

    /** Gives the lock back. */
    private void count(Queue queue, String tenant, long age) {
        try {
            if (!queue.isFresh(nanos.getAsLong(), age)) {
                long unseen = queue.unseen();
                queue.counted(census.pending(tenant) + unseen, nanos.getAsLong());
            }
        } finally {
            queue.counting.unlock();
        }
    }
}
