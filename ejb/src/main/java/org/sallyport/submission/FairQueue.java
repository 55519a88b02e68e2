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
import org.sallyport.execution.PendingJob;

/**
 * In which order the jobs of this node go to the broker, which gives them out as they came. While few wait there, each goes at
 * once; beyond, tenants take turns, and who has nothing under way goes ahead of all: so nobody waits for another's backlog.
 * It holds names only: what is lost with it waits in the database. Thread-safe.
 */
final class FairQueue {
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Bounds bounds;
    private final ToIntFunction<String> weights;
    private final LongSupplier nanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final Map<String, TenantLine> lines = new HashMap<>();
    /** Those that hold jobs; whose turn it is comes first. */
    private final Deque<TenantLine> turns = new ArrayDeque<>();

    private int held;
    private int sent;

    /**
     * What is bounded.
     *
     * @param window job messages that may wait in the broker
     * @param ofTenant jobs held of one tenant at most
     * @param ofAll jobs held of all
     */
    record Bounds(int window, int ofTenant, int ofAll) {}

    /**
     * What is to be sent.
     *
     * @param ahead whether it goes before everything that the broker has
     */
    record Next(PendingJob job, boolean ahead) {}

    /**
     * @param weights jobs of a tenant in one turn
     * @param nanos as {@link System#nanoTime}
     */
    FairQueue(Bounds bounds, ToIntFunction<String> weights, LongSupplier nanos) {
        this.bounds = bounds;
        this.weights = weights;
        this.nanos = nanos;
    }

    /** Holds {@code job} until it is its turn; whether there is room. One that is held already is held once. */
    boolean offer(PendingJob job) {
        lock.lock();
        try {
            TenantLine line = line(job.tenant());
            if (line.holds(job.id())) {
                return true;
            }
            if (held >= bounds.ofAll() || line.held() >= bounds.ofTenant()) {
                return false;
            }
            if (line.held() == 0) {
                turns.addLast(line);
            }
            line.add(job);
            held++;
            more.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The next to be sent; empty when nothing may be sent for {@code patience}, though jobs are held. */
    Optional<Next> take(long patience, TimeUnit unit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = unit.toNanos(patience);
            Optional<Next> next = next();
            while (next.isEmpty() && left > 0) {
                if (held == 0) {
                    more.await();
                } else {
                    left = more.awaitNanos(left);
                }
                next = next();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Next> next() {
        long now = nanos.getAsLong();
        if (lines.size() > 1) {
            for (TenantLine line : turns) {
                if (line.mayGoAhead() || (sent < bounds.window() && line.quietSince(now - LOST_NANOS))) {
                    return Optional.of(take(line, now, true));
                }
            }
        }
        TenantLine first = turns.peekFirst();
        if (first == null || sent >= bounds.window()) {
            return Optional.empty();
        }
        boolean lastOfTurn = first.turn();
        Next next = take(first, now, false);
        if (lastOfTurn && first.held() > 0) {
            turns.removeFirst();
            turns.addLast(first);
        }
        return Optional.of(next);
    }

    private Next take(TenantLine line, long now, boolean ahead) {
        PendingJob job = line.take(now, ahead);
        if (line.held() == 0) {
            turns.remove(line);
        }
        held--;
        sent++;
        return new Next(job, ahead);
    }

    /** A job message of {@code tenant} does not wait in the broker any more. */
    void left(String tenant) {
        lock.lock();
        try {
            sent = Math.max(0, sent - 1);
            TenantLine line = lines.get(tenant);
            if (line != null) {
                line.left();
                if (line.idle()) {
                    lines.remove(tenant);
                }
            }
            // Not for each: who sends is woken for some at a time.
            if (held > 0 && (lines.size() > 1 || sent <= bounds.window() - bounds.window() / 4)) {
                more.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says how many job messages really wait: other nodes take them too, and a broker that goes away loses them. */
    void waiting(int really) {
        lock.lock();
        try {
            if (really < sent) {
                sent = really;
                // Those that went ahead are taken first.
                lines.values().forEach(TenantLine::noneAhead);
            }
            if (really == 0) {
                lines.values().forEach(TenantLine::nothingSent);
                lines.values().removeIf(TenantLine::idle);
            }
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Job messages that wait, as far as this node knows. */
    int sent() {
        lock.lock();
        try {
            return sent;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that are not sent yet. */
    int held() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the job is not sent yet because others have their turn. */
    boolean holds(String tenant, ExecutionId id) {
        lock.lock();
        try {
            TenantLine line = lines.get(tenant);
            return line != null && line.holds(id);
        } finally {
            lock.unlock();
        }
    }

    private TenantLine line(String tenant) {
        TenantLine known = lines.get(tenant);
        if (known != null) {
            return known;
        }
        long now = nanos.getAsLong();
        lines.values().removeIf(line -> line.held() == 0 && line.quietSince(now - IDLE_NANOS));
        TenantLine line = new TenantLine(Math.max(1, weights.applyAsInt(tenant)));
        lines.put(tenant, line);
        return line;
    }
}
