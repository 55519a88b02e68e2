package org.sallyport.web.async;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Sends buffered responses to HTTP clients without blocking a thread on a slow reader. Closes the connection of a
 * client that takes no bytes for {@link #STALL_TIMEOUT_NANOS} or whose response takes longer than
 * {@link #MAX_DURATION_NANOS}. When a response needs memory that is not free, it drops the response whose client has
 * made no progress for the longest time. Thread-safe.
 */
@ApplicationScoped
public class AsyncResponses {
    /** Bytes that the container accepts without blocking, however slowly the client reads. */
    private static final int MAX_IMMEDIATE_BYTES = ResponseBuffer.MAX_UNRESERVED_BYTES;

    static final long STALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long MAX_DURATION_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long SWEEP_INTERVAL_MILLIS = 1_000;

    private final LongSupplier nanos;
    private final MemoryBudget budget;
    private final Set<AsyncBodyWriter> openResponses = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean sweepScheduled = new AtomicBoolean();
    private final ThreadLocal<@Nullable ResponseBuffer> current = new ThreadLocal<>();

    private final LongFunction<CompletionStage<Void>> timer;

    /** Required by the container, which creates a proxy of this class. */
    protected AsyncResponses() {
        this(System::nanoTime, new MemoryBudgets(0, 0).answers(), millis -> CompletableFuture.completedFuture(null));
    }

    @Inject
    public AsyncResponses(CompletionWaiter waiting, MemoryBudgets budgets) {
        this(System::nanoTime, budgets.answers(), waiting::delay);
    }

    /**
     * @param budget the memory of the responses that are built or wait for clients
     * @param pauses returns a stage that completes after the given milliseconds, on a thread that may block
     */
    AsyncResponses(LongSupplier nanos, MemoryBudget budget, LongFunction<CompletionStage<Void>> pauses) {
        this.nanos = nanos;
        this.budget = budget;
        this.timer = pauses;
    }

    /** Returns the buffer for the response to a request. */
    ResponseBuffer newBuffer(HttpServletRequest request) {
        return new ResponseBuffer(new ResponseMemory(budget, () -> RequestMemory.owner(request), this::endSlowest));
    }

    /** Begins the response that this thread builds; the thread runs the result when it has built the response. */
    Runnable begin(HttpServletRequest request, ResponseBuffer buffer) {
        if (request.getMethod().equals("GET")) {
            // Another request may have taken effect before its response is built, so that it must not be refused then.
            current.set(buffer);
        }
        return current::remove;
    }

    /**
     * Reserves memory for a large part of the response that this thread builds, before the part is read. Reserves
     * nothing if this thread does not answer a {@code GET} request.
     *
     * @param bytes about the size of the part
     * @throws ProblemException if the memory is not free
     */
    public void reserve(long bytes) {
        ResponseBuffer own = current.get();
        if (own != null && bytes > ResponseBuffer.MAX_UNRESERVED_BYTES && !own.reserveAhead(bytes)) {
            throw new ProblemException(
                    ProblemType.UNAVAILABLE,
                    "other responses need the memory for this one (the server's " + Settings.MEMORY_PERCENT.name()
                            + "); try again shortly");
        }
    }

    /** Sends the complete response if that needs no waiting. Returns whether it is sent; its bytes remain if not. */
    static boolean sendNow(BufferedResponse answer) throws IOException {
        ResponseBuffer body = answer.complete();
        long size = body.size();
        HttpServletResponse response = answer.response();
        if (response.isCommitted()) {
            if (size == 0) {
                body.close();
            }
            return size == 0;
        }
        if (size > 0) {
            response.setContentLengthLong(size);
        }
        ServletOutputStream out = response.getOutputStream();
        // After isReady() returned true, the container accepts the whole write without blocking, also for headers
        // alone. That holds for small responses only.
        if (size <= MAX_IMMEDIATE_BYTES && out.isReady()) {
            body.copyTo(out);
            body.close(); // Frees memory that was reserved for more bytes.
            return true;
        }
        return false;
    }

    /** Sends the response, then completes the request. */
    void deliver(AsyncContext context, BufferedResponse answer) {
        try {
            if (sendNow(answer)) {
                context.complete();
            } else {
                deliver(context, answer.response().getOutputStream(), answer.complete());
            }
        } catch (IOException e) {
            answer.release();
            context.complete(); // The client has disconnected.
        }
    }

    /** Sends the bytes chunk by chunk, then completes the request. */
    void deliver(AsyncContext context, ServletOutputStream out, ResponseBuffer body) {
        boolean reserved = body.reserveAll();
        AsyncBodyWriter[] own = new AsyncBodyWriter[1];
        AsyncBodyWriter delivery = new AsyncBodyWriter(context, out, body, nanos, () -> openResponses.remove(own[0]));
        own[0] = delivery;
        openResponses.add(delivery);
        try {
            if (reserved) {
                out.setWriteListener(delivery);
            } else {
                delivery.end(); // There is no memory in which the response could wait.
            }
        } catch (RuntimeException e) {
            delivery.end(); // The client has disconnected, and the container has ended the request.
        }
        scheduleSweep();
    }

    /** Ends the response whose client has made no progress for longest; only one of {@code owner}, if it is given. */
    private boolean endSlowest(@Nullable String owner) {
        Optional<AsyncBodyWriter> slowest = openResponses.stream()
                .filter(each -> owner == null || owner.equals(each.owner()))
                .min(Comparator.comparingLong(each -> each.progressedAt() - nanos.getAsLong()));
        slowest.ifPresent(AsyncBodyWriter::end);
        return slowest.isPresent();
    }

    private void scheduleSweep() {
        if (!openResponses.isEmpty() && sweepScheduled.compareAndSet(false, true)) {
            timer.apply(SWEEP_INTERVAL_MILLIS).thenRun(() -> {
                sweepScheduled.set(false);
                sweep();
                scheduleSweep();
            });
        }
    }

    /** Drops the responses whose clients have stalled or whose time is over. */
    void sweep() {
        long now = nanos.getAsLong();
        List.copyOf(openResponses).stream()
                .filter(each ->
                        now - each.progressedAt() > STALL_TIMEOUT_NANOS || now - each.startedAt() > MAX_DURATION_NANOS)
                .forEach(AsyncBodyWriter::end);
    }

    /** Number of responses that wait for their clients. */
    int openCount() {
        return openResponses.size();
    }
}
