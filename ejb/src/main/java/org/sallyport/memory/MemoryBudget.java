package org.sallyport.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * A maximum number of bytes for one kind of work. Work reserves its bytes before it holds them, and is refused or waits
 * if they are not free. Each owner, such as a tenant, may hold half of the budget, so that no owner can hold all of it.
 * The reservations of one owner are granted in the order of the calls. Of several owners, the one that holds least
 * comes first. A reservation that does not fit lets those of other owners pass, until they are as many bytes as the
 * whole budget: then all others wait for it, so that it is granted too. Thread-safe.
 */
public final class MemoryBudget {
    private static final int OWNER_FRACTION = 2;

    private final String name;
    private final long maxBytes;
    private final Map<String, Long> usedByOwner = new HashMap<>();
    /** The waiting reservations of each owner that has some, in the order of the calls. */
    private final Map<String, LinkedHashSet<WaitingReservation>> waitersByOwner = new LinkedHashMap<>();

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
        return waitersByOwner.values().stream().mapToInt(LinkedHashSet::size).sum();
    }

    /** Reserves bytes if they are free now and no reservation that must not be passed waits for them. */
    public synchronized Optional<MemoryReservation> tryReserve(String owner, long bytes) {
        return isFree(owner, bytes)
                        && !waitersByOwner.containsKey(owner)
                        && unpassableWaiter().isEmpty()
                ? Optional.of(newReservation(owner, bytes))
                : Optional.empty();
    }

    /**
     * Reserves bytes that are held already, whether they are free or not. No further reservation succeeds until they
     * are within the budget again.
     */
    public synchronized MemoryReservation reserveHeld(String owner, long bytes) {
        return newReservation(owner, bytes);
    }

    /**
     * Reserves bytes as soon as they are free and it is the turn of this reservation. To give up, cancel the returned
     * future.
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
            waitersByOwner.computeIfAbsent(owner, key -> new LinkedHashSet<>()).add(waiter);
        }
        waiter.future.whenComplete((reservation, failure) -> {
            if (failure != null) {
                cancel(waiter);
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
        firstWaiters()
                .filter(each -> !each.owner.equals(owner) && isWithinShare(each.owner, each.bytes))
                .forEach(each -> each.passedBytes += bytes);
        return new MemoryReservation(owner, bytes);
    }

    private void add(String owner, long bytes) {
        usedBytes += bytes;
        usedByOwner.merge(owner, bytes, Long::sum);
    }

    private void remove(String owner, long bytes) {
        usedBytes -= bytes;
        usedByOwner.computeIfPresent(owner, (key, used) -> used == bytes ? null : Long.valueOf(used - bytes));
    }

    /** The waiting reservation of each owner that is granted first. */
    private Stream<WaitingReservation> firstWaiters() {
        return waitersByOwner.values().stream()
                .map(waiters -> waiters.iterator().next());
    }

    /** The reservation for which all others wait: of those that were passed by the whole budget, the most passed. */
    private Optional<WaitingReservation> unpassableWaiter() {
        return firstWaiters()
                .filter(each -> each.passedBytes >= maxBytes && isWithinShare(each.owner, each.bytes))
                .max(Comparator.comparingLong(each -> each.passedBytes));
    }

    /** The waiting reservation that is granted next, if the bytes of one are free. */
    private Optional<WaitingReservation> nextWaiter() {
        Optional<WaitingReservation> unpassable = unpassableWaiter();
        Stream<WaitingReservation> candidates = unpassable.isPresent() ? unpassable.stream() : firstWaiters();
        return candidates
                .filter(each -> isFree(each.owner, each.bytes))
                .min(Comparator.comparingLong(each -> usedBytes(each.owner)));
    }

    /** Grants waiting reservations as long as the bytes are free. The caller completes them without the lock. */
    private List<GrantedReservation> pollGranted() {
        List<GrantedReservation> granted = new ArrayList<>();
        for (Optional<WaitingReservation> next = nextWaiter(); next.isPresent(); next = nextWaiter()) {
            WaitingReservation waiter = next.get();
            removeWaiter(waiter);
            granted.add(new GrantedReservation(waiter, newReservation(waiter.owner, waiter.bytes)));
        }
        return granted;
    }

    private void removeWaiter(WaitingReservation waiter) {
        waitersByOwner.computeIfPresent(waiter.owner, (owner, waiters) -> {
            waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
    }

    private void cancel(WaitingReservation waiter) {
        List<GrantedReservation> granted;
        synchronized (this) {
            removeWaiter(waiter);
            granted = pollGranted(); // Others may have waited for it.
        }
        granted.forEach(GrantedReservation::complete);
    }

    /** A reservation that waits. */
    private static final class WaitingReservation {
        private final String owner;
        private final long bytes;
        private final Executor executor;
        private final CompletableFuture<MemoryReservation> future = new CompletableFuture<>();
        /** Bytes that other owners reserved while this was the first of its owner and within its share. */
        private long passedBytes;

        WaitingReservation(String owner, long bytes, Executor executor) {
            this.owner = owner;
            this.bytes = bytes;
            this.executor = executor;
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
                requireOpen();
                if (!isFree(owner, more)) {
                    return false;
                }
                add(owner, more);
                bytes += more;
                return true;
            }
        }

        /**
         * Adds bytes that are held already, as {@link MemoryBudget#reserveHeld} does.
         *
         * @throws IllegalStateException if the reservation is closed
         */
        public void growHeld(long more) {
            synchronized (MemoryBudget.this) {
                requireOpen();
                add(owner, more);
                bytes += more;
            }
        }

        private void requireOpen() {
            if (closed) {
                throw new IllegalStateException("the reservation is closed");
            }
        }

        /**
         * Frees a part of the bytes. Has no effect on a reservation that is closed.
         *
         * @throws IllegalArgumentException if the reservation has fewer bytes
         */
        public void shrink(long fewer) {
            List<GrantedReservation> granted;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                if (fewer > bytes) {
                    throw new IllegalArgumentException("the reservation has " + bytes + " bytes, not " + fewer);
                }
                remove(owner, fewer);
                bytes -= fewer;
                granted = pollGranted();
            }
            granted.forEach(GrantedReservation::complete);
        }

        /** Frees the bytes. A second call has no effect. */
        @Override
        public void close() {
            List<GrantedReservation> granted;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                remove(owner, bytes);
                bytes = 0;
                granted = pollGranted();
            }
            granted.forEach(GrantedReservation::complete);
        }
    }
}
