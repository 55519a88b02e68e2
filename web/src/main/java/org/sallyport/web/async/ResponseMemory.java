package org.sallyport.web.async;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.memory.MemoryBudget;

/**
 * The memory that one response has reserved. To make room, it ends responses whose clients read slowly. Thread-safe.
 */
final class ResponseMemory implements AutoCloseable {
    private final MemoryBudget budget;
    private final Supplier<String> owner;
    private final WaitingResponses waiting;
    private MemoryBudget.@Nullable MemoryReservation reservation;

    /** The responses that wait for their clients. */
    interface WaitingResponses {
        /**
         * Ends the response whose client has made no progress for the longest time.
         *
         * @param owner only a response of this owner, unless it is null
         * @return false if there is no such response
         */
        boolean endSlowest(@Nullable String owner);
    }

    /** @param owner returns who shares the memory; called when the first bytes are reserved, and later */
    ResponseMemory(MemoryBudget budget, Supplier<String> owner, WaitingResponses waiting) {
        this.budget = budget;
        this.owner = owner;
        this.waiting = waiting;
    }

    String owner() {
        return owner.get();
    }

    /** The most bytes that a response can reserve. */
    long maxBytes() {
        return budget.maxBytesPerOwner();
    }

    /** Reserves more bytes; returns false if they are not free even without the responses that wait for clients. */
    synchronized boolean tryGrow(long more) {
        MemoryBudget.MemoryReservation own = reservation;
        if ((own == null ? 0 : own.bytes()) + more > maxBytes()) {
            return false;
        }
        String sharing = owner();
        while (!tryGrow(sharing, more)) {
            boolean shareIsFull = budget.usedBytes(sharing) + more > maxBytes();
            if (!waiting.endSlowest(shareIsFull ? sharing : null)) {
                return false;
            }
        }
        return true;
    }

    private boolean tryGrow(String sharing, long more) {
        MemoryBudget.MemoryReservation own = reservation;
        if (own != null) {
            return own.tryGrow(more);
        }
        reservation = budget.tryReserve(sharing, more).orElse(null);
        return reservation != null;
    }

    /** Frees a part of the bytes. */
    synchronized void shrink(long fewer) {
        MemoryBudget.MemoryReservation own = reservation;
        if (own != null) {
            own.shrink(fewer);
        }
    }

    /** Frees all bytes. More can be reserved later. */
    @Override
    public synchronized void close() {
        MemoryBudget.MemoryReservation own = reservation;
        reservation = null;
        if (own != null) {
            own.close();
        }
    }
}
