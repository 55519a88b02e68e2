package org.sallyport.runner;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;

/**
 * The memory of what one run has not written yet: its journal entries, its output and its result, and the replies that
 * wait until it may receive them. A little of entries and output needs no reservation, so that most runs make none.
 * Entries that do not fit into their budget and waiting replies count as replies, so that the node receives fewer of
 * these. Thread-safe; never blocks.
 */
final class EntryMemory {
    private static final long UNRESERVED_BYTES = 32 << 10;

    /** Two bytes for each character of a result, and as many for what is written. */
    private static final int BYTES_PER_RESULT_CHAR = 4;

    private final MemoryBudget entries;
    private final MemoryBudget replies;
    private final MemoryBudget results;
    private final String tenant;
    private MemoryBudget.@Nullable MemoryReservation reservation;
    /** What counts as replies: {@code excessBytes} and {@code waitingBytes}. */
    private MemoryBudget.@Nullable MemoryReservation held;

    private @Nullable CompletableFuture<MemoryBudget.MemoryReservation> result;
    private long excessBytes;
    private long waitingBytes;
    private boolean closed;

    EntryMemory(MemoryBudgets budgets, String tenant) {
        this(budgets.entries(), budgets.replies(), budgets.results(), tenant);
    }

    EntryMemory(MemoryBudget entries, MemoryBudget replies, MemoryBudget results, String tenant) {
        this.entries = entries;
        this.replies = replies;
        this.results = results;
        this.tenant = tenant;
    }

    /** Makes the reservation that {@code bytes} of entries need. Returns false if so much memory is not free. */
    synchronized boolean resize(long bytes) {
        boolean fits = reserveEntries(closed || bytes <= UNRESERVED_BYTES ? 0 : bytes);
        excessBytes = fits ? 0 : bytes - reservedBytes();
        holdReplies();
        return fits;
    }

    private boolean reserveEntries(long bytes) {
        MemoryBudget.MemoryReservation present = reservation;
        if (present == null) {
            reservation = bytes == 0 ? null : entries.tryReserve(tenant, bytes).orElse(null);
            return bytes == 0 || reservation != null;
        }
        if (bytes == 0) {
            present.close();
            reservation = null;
            return true;
        }
        long more = bytes - present.bytes();
        if (more > 0) {
            return present.tryGrow(more);
        }
        present.shrink(-more);
        return true;
    }

    private long reservedBytes() {
        return reservation == null ? 0 : reservation.bytes();
    }

    /** Counts a reply that waits until the run may receive it. */
    synchronized void addWaitingReply(long bytes) {
        if (!closed) {
            waitingBytes += bytes;
            holdReplies();
        }
    }

    /** Ends the count of a reply that waited. */
    synchronized void removeWaitingReply(long bytes) {
        if (!closed) {
            waitingBytes -= bytes;
            holdReplies();
        }
    }

    private void holdReplies() {
        long bytes = excessBytes + waitingBytes;
        MemoryBudget.MemoryReservation present = held;
        if (present == null) {
            held = bytes == 0 ? null : replies.reserveHeld(tenant, bytes);
        } else if (bytes == 0) {
            present.close();
            held = null;
        } else if (bytes > present.bytes()) {
            present.growHeld(bytes - present.bytes());
        } else {
            present.shrink(present.bytes() - bytes);
        }
    }

    /**
     * Reserves memory for the result of the script, at most the share of the tenant. The stage completes when the
     * memory is reserved, and exceptionally if the run ends before.
     *
     * @param executor completes the stage if it had to wait
     */
    synchronized CompletionStage<?> reserveResult(int chars, Executor executor) {
        if (closed) {
            return CompletableFuture.failedStage(new CancellationException("the run has ended"));
        }
        long bytes = Math.min(results.maxBytesPerOwner(), (long) chars * BYTES_PER_RESULT_CHAR);
        result = results.reserve(tenant, bytes, executor);
        return result;
    }

    /** Frees the memory of a run that has ended. */
    void close() {
        CompletableFuture<MemoryBudget.MemoryReservation> reserved;
        synchronized (this) {
            closed = true;
            waitingBytes = 0;
            resize(0);
            reserved = result;
            result = null;
        }
        if (reserved != null && !reserved.cancel(false)) {
            reserved.join().close();
        }
    }
}
