package org.sallyport.runner;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.tool.ToolReply;

/**
 * The memory that the long arguments of one run's calls occupy. Arguments are held until their call is answered: it may
 * be sent again. Only a call that waits for an approval holds none. Thread-safe; never blocks.
 */
final class ArgumentMemory {
    /** Two bytes for each character of the arguments, and as many for the message to the backend. */
    private static final int BYTES_PER_CHAR = 4;

    private final MemoryBudget budget;
    private final String tenant;
    private final Executor executor;
    // Guarded by this.
    private final Map<Long, CompletableFuture<MemoryBudget.MemoryReservation>> byCall = new HashMap<>();
    private boolean closed;

    /** @param executor continues the calls that waited for memory */
    ArgumentMemory(MemoryBudget budget, String tenant, Executor executor) {
        this.budget = budget;
        this.tenant = tenant;
        this.executor = executor;
    }

    /**
     * Reserves memory for the arguments of a call. Arguments that need more than one tenant may hold reserve as much as
     * that. Returns the reservation of the call if it has one. The stage completes when the memory is reserved, and
     * exceptionally if the call is released before.
     */
    CompletionStage<?> reserve(long call, int chars) {
        long bytes = Math.min(budget.maxBytesPerOwner(), (long) chars * BYTES_PER_CHAR);
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedStage(new CancellationException("the run has ended"));
            }
            return byCall.computeIfAbsent(call, any -> budget.reserve(tenant, bytes, executor));
        }
    }

    /**
     * Frees the memory of a call whose arguments are not needed any more. Returns false for a call without memory, for
     * which it does nothing.
     */
    boolean release(long call) {
        CompletableFuture<MemoryBudget.MemoryReservation> memory;
        synchronized (this) {
            memory = byCall.remove(call);
        }
        if (memory != null && !memory.cancel(false)) {
            memory.join().close();
        }
        return memory != null;
    }

    /**
     * Ends the reservations of a run that has ended. The memory of a call that was sent is freed with its reply.
     *
     * @param sent the replies to the calls that were sent
     */
    void close(Map<Long, CompletionStage<ToolReply>> sent) {
        List<Long> calls;
        synchronized (this) {
            closed = true;
            calls = List.copyOf(byCall.keySet());
        }
        calls.forEach(call -> {
            CompletionStage<ToolReply> reply = sent.get(call);
            if (reply == null) {
                release(call);
            } else {
                reply.thenRun(() -> release(call));
            }
        });
    }
}
