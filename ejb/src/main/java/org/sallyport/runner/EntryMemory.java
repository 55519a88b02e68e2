package org.sallyport.runner;

import org.jspecify.annotations.Nullable;
import org.sallyport.memory.MemoryBudget;

/**
 * The memory that the unwritten journal entries and output of one run occupy. A little of both needs no reservation, so
 * that most runs make none. Thread-safe; never blocks.
 */
final class EntryMemory {
    private static final long UNRESERVED_BYTES = 32 << 10;

    private final MemoryBudget budget;
    private final String tenant;
    private MemoryBudget.@Nullable MemoryReservation reservation;
    private boolean closed;

    EntryMemory(MemoryBudget budget, String tenant) {
        this.budget = budget;
        this.tenant = tenant;
    }

    /** Makes the reservation that {@code bytes} of entries need. Returns false if so much memory is not free. */
    synchronized boolean resize(long bytes) {
        if (closed || bytes <= UNRESERVED_BYTES) {
            release();
            return true;
        }
        MemoryBudget.MemoryReservation held = reservation;
        if (held == null) {
            reservation = budget.tryReserve(tenant, bytes).orElse(null);
            return reservation != null;
        }
        long more = bytes - held.bytes();
        if (more > 0) {
            return held.tryGrow(more);
        }
        held.shrink(-more);
        return true;
    }

    /** Frees the memory of a run that has ended. */
    synchronized void close() {
        closed = true;
        release();
    }

    private void release() {
        if (reservation != null) {
            reservation.close();
            reservation = null;
        }
    }
}
