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
 * Orders the jobs that this node sends to the broker; the broker delivers them first in, first out. While few messages
 * wait in the broker, each job is sent immediately. Above that, tenants alternate, and a tenant without messages in the
 * broker precedes all others, so no tenant waits for another's backlog. Holds ids only: jobs lost with this node remain
 * in the database. Thread-safe.
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
    /** Tenants with queued jobs, in the order in which they may send. */
    private final Deque<TenantQueue> turnOrder = new ArrayDeque<>();

    private int queuedCount;
    private int sentCount;

    /**
     * Bounds of the queue.
     *
     * @param maxInBroker job messages that may wait in the broker
     * @param maxPerTenant maximum of queued jobs of one tenant
     * @param maxTotal maximum of queued jobs of all tenants
     */
    record QueueBounds(int maxInBroker, int maxPerTenant, int maxTotal) {}

    /**
     * The next job to send.
     *
     * @param priorityLane whether the message overtakes all messages that wait in the broker
     */
    record NextJob(ExecutionJob job, boolean priorityLane) {}

    /**
     * @param weights jobs of a tenant per round
     * @param nanos a clock like {@link System#nanoTime}
     */
    TenantFairQueue(QueueBounds bounds, ToIntFunction<String> weights, LongSupplier nanos) {
        this.bounds = bounds;
        this.weights = weights;
        this.nanos = nanos;
    }

    /**
     * Queues {@code job} until it may be sent. Returns false when there is no room. A job that is already queued is
     * queued once.
     */
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

    /**
     * Removes and returns the next job to send. Returns empty when jobs are queued but none may be sent for
     * {@code timeout}; waits without limit while the queue is empty.
     */
    Optional<NextJob> poll(long timeout, TimeUnit unit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = unit.toNanos(timeout);
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

    /** Records that a job message of {@code tenant} no longer waits in the broker. */
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
            // Wake the sender only when it can send several jobs, not for each message.
            if (queuedCount > 0
                    && (tenantQueues.size() > 1 || sentCount <= bounds.maxInBroker() - bounds.maxInBroker() / 4)) {
                mayPoll.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Corrects the number of waiting messages: other nodes consume them too, and a broker that goes down loses them.
     */
    void setWaitingInBroker(int really) {
        lock.lock();
        try {
            if (really < sentCount) {
                sentCount = really;
                // The broker delivers the messages of the priority lane first, so those are consumed.
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

    /** Returns the number of messages in the broker, as far as this node knows. */
    int sentCount() {
        lock.lock();
        try {
            return sentCount;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of jobs that are not sent yet. */
    int queuedCount() {
        lock.lock();
        try {
            return queuedCount;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the job is queued and not sent yet. */
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
