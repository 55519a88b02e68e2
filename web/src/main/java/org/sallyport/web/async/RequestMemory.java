package org.sallyport.web.async;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Settings;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * Counts the memory of request bodies, and of what is parsed from them, against the budget of the node. The memory of a
 * request is free again when the thread that handles it has left {@link SlowClientFilter} and the work that it started
 * with {@link #holdUntilDone} is done. Thread-safe.
 */
@ApplicationScoped
public class RequestMemory {
    private final ThreadLocal<@Nullable HandledRequest> current = new ThreadLocal<>();

    private final MemoryBudget budget;

    /** Required by the container, which creates a proxy of this class. */
    protected RequestMemory() {
        this(new MemoryBudgets(0, 0));
    }

    @Inject
    public RequestMemory(MemoryBudgets budgets) {
        this.budget = budgets.bodies();
    }

    /** Returns who shares the memory of a request: known when its body is read, not before. */
    static String owner(HttpServletRequest request) {
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller) {
            return "tenant " + caller.tenant();
        }
        return request.getAttribute(BodyReadLimiter.WEBHOOK) == null ? "strangers" : "webhooks";
    }

    /** Begins to count for a request that this thread handles; the thread runs the result when it has handled it. */
    public Runnable begin(HttpServletRequest request) {
        HandledRequest handled = new HandledRequest(request);
        current.set(handled);
        return () -> {
            current.remove();
            handled.release();
        };
    }

    /**
     * Reserves memory for the request that this thread handles. A thread that handles none reserves nothing.
     *
     * @throws ProblemException if the memory is not free
     */
    public void reserve(long bytes) {
        HandledRequest handled = current.get();
        if (handled != null) {
            handled.reserve(bytes);
        }
    }

    /**
     * Reserves as much memory again as the request that this thread handles has reserved: for a copy of its body.
     *
     * @throws ProblemException if the memory is not free
     */
    public void reserveCopy() {
        HandledRequest handled = current.get();
        if (handled != null) {
            handled.reserve(handled.reservedBytes());
        }
    }

    /** Keeps the memory of the request that this thread handles also until the result of {@code work} is complete. */
    public <T> CompletionStage<T> holdUntilDone(Supplier<CompletionStage<T>> work) {
        HandledRequest handled = current.get();
        if (handled == null) {
            return work.get();
        }
        handled.holders.incrementAndGet();
        CompletionStage<T> result;
        try {
            result = work.get();
        } catch (RuntimeException | Error e) {
            handled.release();
            throw e;
        }
        return result.whenComplete((done, failure) -> handled.release());
    }

    /** The memory of one request. */
    private final class HandledRequest {
        private final HttpServletRequest request;
        /** The thread and its unfinished work. */
        private final AtomicInteger holders = new AtomicInteger(1);

        private MemoryBudget.@Nullable MemoryReservation reservation;

        HandledRequest(HttpServletRequest request) {
            this.request = request;
        }

        void reserve(long bytes) {
            MemoryBudget.MemoryReservation own = reservation;
            if (own == null) {
                reservation = budget.tryReserve(owner(request), bytes).orElseThrow(() -> refusal(bytes));
            } else if (!own.tryGrow(bytes)) {
                throw refusal(own.bytes() + bytes);
            }
        }

        long reservedBytes() {
            MemoryBudget.MemoryReservation own = reservation;
            return own == null ? 0 : own.bytes();
        }

        void release() {
            if (holders.decrementAndGet() == 0) {
                MemoryBudget.MemoryReservation own = reservation;
                if (own != null) {
                    own.close();
                }
            }
        }
    }

    private ProblemException refusal(long bytes) {
        return bytes > budget.maxBytesPerOwner()
                ? new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the body needs about " + bytes + " bytes of memory, more than one request may have (the"
                                + " server's " + Settings.MEMORY_PERCENT.name() + ")")
                : new ProblemException(
                        ProblemType.UNAVAILABLE,
                        "the bodies of other requests need the memory (the server's " + Settings.MEMORY_PERCENT.name()
                                + "); try again shortly");
    }
}
