package org.sallyport.messaging;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.sallyport.memory.MemoryBudget;

/** Reserves memory for messages before they are decoded. Thread-safe. */
public final class MessageMemory {
    /** Two bytes for each character of the message, and as many for what is decoded of it. */
    private static final int BYTES_PER_CHAR = 4;

    private final MemoryBudget budget;

    public MessageMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    /** Reserves memory for a message of this length, if it is free now. */
    public Optional<MemoryBudget.MemoryReservation> tryReserve(String tenant, int length) {
        return budget.tryReserve(tenant, bytes(length));
    }

    /**
     * Reserves memory for a message of this length as soon as it is free. To give up, cancel the returned future.
     *
     * @param executor completes the future if the memory was not free at once
     */
    public CompletableFuture<MemoryBudget.MemoryReservation> reserve(String tenant, int length, Executor executor) {
        return budget.reserve(tenant, bytes(length), executor);
    }

    /** A message that needs more than one tenant may hold reserves as much as that. */
    private long bytes(int length) {
        return Math.min(budget.maxBytesPerOwner(), (long) length * BYTES_PER_CHAR);
    }
}
