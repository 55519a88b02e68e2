package org.sallyport.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A maximum number of bytes for one kind of work. Work reserves its bytes before it holds them, and is refused or waits
 * if they are not free. Each owner, such as a tenant, may hold half of the budget, so that no owner can hold all of it.
 * Thread-safe.
 */
public final class MemoryBudget {
    private static final int OWNER_FRACTION = 2;

    private final String name;
    private final long maxBytes;
    private final Map<String, Long> usedByOwner = new HashMap<>();
    private final Deque<WaitingReservation> waiters = new ArrayDeque<>();
    private long usedBytes;

    public MemoryBudget(String name, long maxBytes) {
        this.name = name;
        this.maxBytes = maxBytes;
    }

    public String name() {
        return name;
    }

    /** The most bytes that one owner may hold. A larger reservation never succeeds. */
    public long maxBytesPerOwner() {
        return maxBytes / OWNER_FRACTION;
    }

    /** Number of reserved bytes. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** Number of bytes that one owner has reserved. */
    public synchronized long usedBytes(String owner) {
        return usedByOwner.getOrDefault(owner, 0L);
    }

    /** Number of reservations that wait. */
    public synchronized int waitingCount() {
        return waiters.size();
    }

    /** Reserves bytes if they are free now and no other reservation waits for them. */
    public synchronized Optional<MemoryReservation> tryReserve(String owner, long bytes) {
        return isFree(owner, bytes) && waiters.stream().noneMatch(each -> each.isAheadOf(owner))
                ? Optional.of(newReservation(owner, bytes))
                : Optional.empty();
    }

    /**
     * Reserves bytes as soon as they are free: in the order of the calls, but an owner that holds its share lets others
     * pass. To give up, cancel the returned future.
     *
     * @param executor completes the future if the bytes were not free at once
     * @throws IllegalArgumentException if one owner may never hold so many bytes
     */
    public CompletableFuture<MemoryReservation> reserve(String owner, long bytes, Executor executor) {
        if (bytes > maxBytesPerOwner()) {
            throw new IllegalArgumentException(
                    bytes + " bytes are more than the " + maxBytesPerOwner() + " that one owner may hold of " + name);
        }
        WaitingReservation waiter = new WaitingReservation(owner, bytes, executor);
        synchronized (this) {
            Optional<MemoryReservation> free = tryReserve(owner, bytes);
            if (free.isPresent()) {
                return CompletableFuture.completedFuture(free.get());
            }
            waiters.add(waiter);
        }
        waiter.future.whenComplete((reservation, failure) -> {
            if (failure != null) {
                grantWaiting(); // It was cancelled: it may have been the one for which the others wait.
            }
        });
        return waiter.future;
    }

    private boolean isFree(String owner, long bytes) {
        return bytes <= maxBytes - usedBytes && isWithinShare(owner, bytes);
    }

    private boolean isWithinShare(String owner, long bytes) {
        return bytes <= maxBytesPerOwner() - usedByOwner.getOrDefault(owner, 0L);
    }

    private MemoryReservation newReservation(String owner, long bytes) {
        add(owner, bytes);
        return new MemoryReservation(owner, bytes);
    }

    private void add(String owner, long bytes) {
        usedBytes += bytes;
        usedByOwner.merge(owner, bytes, Long::sum);
    }

    private synchronized void remove(String owner, long bytes) {
        usedBytes -= bytes;
        usedByOwner.computeIfPresent(owner, (key, used) -> used == bytes ? null : Long.valueOf(used - bytes));
    }

    private void grantWaiting() {
        pollGranted().forEach(GrantedReservation::complete);
    }

    private synchronized List<GrantedReservation> pollGranted() {
        List<GrantedReservation> granted = new ArrayList<>();
        Set<String> blockedOwners = new HashSet<>();
        for (Iterator<WaitingReservation> all = waiters.iterator(); all.hasNext(); ) {
            WaitingReservation waiter = all.next();
            if (waiter.future.isDone()) {
                all.remove();
            } else if (blockedOwners.contains(waiter.owner) || !isWithinShare(waiter.owner, waiter.bytes)) {
                blockedOwners.add(waiter.owner);
            } else if (isFree(waiter.owner, waiter.bytes)) {
                all.remove();
                granted.add(new GrantedReservation(waiter, newReservation(waiter.owner, waiter.bytes)));
            } else {
                return granted;
            }
        }
        return granted;
    }

    /** A reservation that waits. */
    private final class WaitingReservation {
        private final String owner;
        private final long bytes;
        private final Executor executor;
        private final CompletableFuture<MemoryReservation> future = new CompletableFuture<>();

        WaitingReservation(String owner, long bytes, Executor executor) {
            this.owner = owner;
            this.bytes = bytes;
            this.executor = executor;
        }

        /** Whether a new reservation must not pass this one. */
        boolean isAheadOf(String newOwner) {
            return !future.isDone() && (owner.equals(newOwner) || isWithinShare(owner, bytes));
        }
    }

    private record GrantedReservation(WaitingReservation waiter, MemoryReservation reservation) {
        void complete() {
            waiter.executor.execute(() -> {
                if (!waiter.future.complete(reservation)) {
                    reservation.close(); // It was cancelled in the meantime.
                }
            });
        }
    }

    /** Reserved bytes, until it is closed. Thread-safe. */
    public final class MemoryReservation implements AutoCloseable {
        private final String owner;
        private long bytes;
        private boolean closed;

        private MemoryReservation(String owner, long bytes) {
            this.owner = owner;
            this.bytes = bytes;
        }

        /** Number of bytes; 0 after it was closed. */
        public long bytes() {
            synchronized (MemoryBudget.this) {
                return bytes;
            }
        }

        /**
         * Adds bytes if they are free now, also if other reservations wait, because these may wait for this one.
         * Returns whether it did.
         *
         * @throws IllegalStateException if the reservation is closed
         */
        public boolean tryGrow(long more) {
            synchronized (MemoryBudget.this) {
                if (closed) {
                    throw new IllegalStateException("the reservation is closed");
                }
                if (!isFree(owner, more)) {
                    return false;
                }
                add(owner, more);
                bytes += more;
                return true;
            }
        }

        /**
         * Frees a part of the bytes. Has no effect on a reservation that is closed.
         *
         * @throws IllegalArgumentException if the reservation has fewer bytes
         */
        public void shrink(long fewer) {
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                if (fewer > bytes) {
                    throw new IllegalArgumentException("the reservation has " + bytes + " bytes, not " + fewer);
                }
                remove(owner, fewer);
                bytes -= fewer;
            }
            grantWaiting();
        }

        /** Frees the bytes. A second call has no effect. */
        @Override
        public void close() {
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                remove(owner, bytes);
                bytes = 0;
            }
            grantWaiting();
        }
    }
}
