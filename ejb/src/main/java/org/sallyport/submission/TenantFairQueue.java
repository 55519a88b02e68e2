package org.sallyport.submission;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * In which order the jobs of this node go to the broker, which gives them out as they came. While few wait there, each goes at
 * once; beyond, tenants take turns, and who has nothing under way goes ahead of all: so nobody waits for another's backlog.
 * It holds names only: what is lost with it waits in the database. Thread-safe.
 */
final class TenantFairQueue {
    private static final long LOST_MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long IDLE_TENANT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final QueueBounds bounds;
    private final ToIntFunction<String> weights;
    private final LongSupplier nanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition mayPoll = lock.newCondition();
    private final Map<String, TenantQueue> tenantQueues = new HashMap<>();
    /** Those that hold jobs; whose turn it is comes first. */
    private final Deque<TenantQueue> turnOrder = new ArrayDeque<>();

    private int queuedCount;
    private int sentCount;

    /**
     * What is bounded.
     *
     * @param maxInBroker job messages that may wait in the broker
     * @param maxPerTenant jobs held of one tenant at most
     * @param maxTotal jobs held of all
     */
    record QueueBounds(int maxInBroker, int maxPerTenant, int maxTotal) {}

    /**
     * What is to be sent.
     *
     * @param priorityLane whether it goes before everything that the broker has
     */
    record NextJob(ExecutionJob job, boolean priorityLane) {}

    /**
     * @param weights jobs of a tenant in one turn
     * @param nanos as {@link System#nanoTime}
     */
    TenantFairQueue(QueueBounds bounds, ToIntFunction<String> weights, LongSupplier nanos) {
        this.bounds = bounds;
        this.weights = weights;
        this.nanos = nanos;
    }

    /** Holds {@code job} until it is its turn; whether there is room. One that is held already is held once. */
    boolean offer(ExecutionJob job) {
        lock.lock();
        try {
            TenantQueue line = tenantQueue(job.tenant());
            if (line.isQueued(job.id())) {
                return true;
            }
            if (queuedCount >= bounds.maxTotal() || line.queuedCount() >= bounds.maxPerTenant()) {
                return false;
            }
            if (line.queuedCount() == 0) {
                turnOrder.addLast(line);
            }
            line.add(job);
            queuedCount++;
            mayPoll.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The next to be sent; empty when nothing may be sent for {@code patience}, though jobs are held. */
    Optional<NextJob> poll(long patience, TimeUnit unit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = unit.toNanos(patience);
            Optional<NextJob> next = next();
            while (next.isEmpty() && left > 0) {
                if (queuedCount == 0) {
                    mayPoll.await();
                } else {
                    left = mayPoll.awaitNanos(left);
                }
                next = next();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private Optional<NextJob> next() {
        long now = nanos.getAsLong();
        if (tenantQueues.size() > 1) {
            for (TenantQueue line : turnOrder) {
                if (line.belowTurnQuota()
                        || (sentCount < bounds.maxInBroker() && line.idleSince(now - LOST_MESSAGE_NANOS))) {
                    return Optional.of(poll(line, now, true));
                }
            }
        }
        TenantQueue first = turnOrder.peekFirst();
        if (first == null || sentCount >= bounds.maxInBroker()) {
            return Optional.empty();
        }
        boolean lastOfTurn = first.advanceTurn();
        NextJob next = poll(first, now, false);
        if (lastOfTurn && first.queuedCount() > 0) {
            turnOrder.removeFirst();
            turnOrder.addLast(first);
        }
        return Optional.of(next);
    }

    private NextJob poll(TenantQueue line, long now, boolean ahead) {
        ExecutionJob job = line.poll(now, ahead);
        if (line.queuedCount() == 0) {
            turnOrder.remove(line);
        }
        queuedCount--;
        sentCount++;
        return new NextJob(job, ahead);
    }

    /** A job message of {@code tenant} does not wait in the broker any more. */
    void jobConsumed(String tenant) {
        lock.lock();
        try {
            sentCount = Math.max(0, sentCount - 1);
            TenantQueue line = tenantQueues.get(tenant);
            if (line != null) {
                line.jobConsumed();
                if (line.isIdle()) {
                    tenantQueues.remove(tenant);
                }
            }
            // Not for each: who sends is woken for some at a time.
            if (queuedCount > 0
                    && (tenantQueues.size() > 1 || sentCount <= bounds.maxInBroker() - bounds.maxInBroker() / 4)) {
                mayPoll.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says how many job messages really wait: other nodes take them too, and a broker that goes away loses them. */
    void setWaitingInBroker(int really) {
        lock.lock();
        try {
            if (really < sentCount) {
                sentCount = really;
                // Those that went ahead are taken first.
                tenantQueues.values().forEach(TenantQueue::resetPriorityLane);
            }
            if (really == 0) {
                tenantQueues.values().forEach(TenantQueue::resetSent);
                tenantQueues.values().removeIf(TenantQueue::isIdle);
            }
            mayPoll.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Job messages that wait, as far as this node knows. */
    int sentCount() {
        lock.lock();
        try {
            return sentCount;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that are not sent yet. */
    int queuedCount() {
        lock.lock();
        try {
            return queuedCount;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the job is not sent yet because others have their turn. */
    boolean isQueued(String tenant, ExecutionId id) {
        lock.lock();
        try {
            TenantQueue line = tenantQueues.get(tenant);
            return line != null && line.isQueued(id);
        } finally {
            lock.unlock();
        }
    }

    private TenantQueue tenantQueue(String tenant) {
        TenantQueue known = tenantQueues.get(tenant);
        if (known != null) {
            return known;
        }
        long now = nanos.getAsLong();
        tenantQueues.values().removeIf(line -> line.queuedCount() == 0 && line.idleSince(now - IDLE_TENANT_NANOS));
        TenantQueue line = new TenantQueue(Math.max(1, weights.applyAsInt(tenant)));
        tenantQueues.put(tenant, line);
        return line;
    }
}
