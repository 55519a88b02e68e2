package org.sallyport.messaging;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
     * Waits for the memory of a message of this length.
     *
     * @param unneeded when this is complete, the message is not needed any more
     * @return the memory; empty if the message is not needed any more
     */
    public Optional<MemoryBudget.MemoryReservation> await(String tenant, int length, CompletableFuture<?> unneeded) {
        CompletableFuture<MemoryBudget.MemoryReservation> memory = budget.reserve(tenant, bytes(length), Runnable::run);
        if (!memory.isDone()) {
            CompletableFuture.anyOf(memory, unneeded).join();
        }
        return memory.cancel(false) ? Optional.empty() : Optional.of(memory.join());
    }

    /** A message that needs more than one tenant may hold reserves as much as that. */
    private long bytes(int length) {
        return Math.min(budget.maxBytesPerOwner(), (long) length * BYTES_PER_CHAR);
    }
}
