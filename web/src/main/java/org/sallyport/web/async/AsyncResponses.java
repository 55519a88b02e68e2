package org.sallyport.web.async;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.sallyport.execution.CompletionWaiter;

/**
 * Sends buffered responses to HTTP clients without blocking a thread on a slow reader. Closes the connection of a
 * client that takes no bytes for {@link #STALL_TIMEOUT_NANOS} or whose response takes longer than
 * {@link #MAX_DURATION_NANOS}. When the buffered bytes exceed the limit, it first drops the response whose client has
 * made no progress for the longest time. Thread-safe.
 */
@ApplicationScoped
public class AsyncResponses {
    /** Bytes that the container accepts without blocking, however slowly the client reads. */
    private static final int MAX_IMMEDIATE_BYTES = 64 << 10;

    static final long STALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long MAX_DURATION_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long SWEEP_INTERVAL_MILLIS = 1_000;
    private static final long MIN_BUFFER_BYTES = 32L << 20;
    private static final int HEAP_FRACTION = 8;

    private final LongSupplier nanos;
    private final long maxBytes;
    private final Set<AsyncBodyWriter> openResponses = ConcurrentHashMap.newKeySet();
    private final AtomicLong bufferedBytes = new AtomicLong();
    private final AtomicBoolean sweepScheduled = new AtomicBoolean();

    private final LongFunction<CompletionStage<Void>> timer;

    /** Required by the container, which creates a proxy of this class. */
    protected AsyncResponses() {
        this(System::nanoTime, 0, millis -> CompletableFuture.completedFuture(null));
    }

    @Inject
    public AsyncResponses(CompletionWaiter waiting) {
        this(System::nanoTime, maxBufferedBytes(), waiting::delay);
    }

    /**
     * @param maxBytes maximum number of bytes that may wait for clients
     * @param pauses returns a stage that completes after the given milliseconds, on a thread that may block
     */
    AsyncResponses(LongSupplier nanos, long maxBytes, LongFunction<CompletionStage<Void>> pauses) {
        this.nanos = nanos;
        this.maxBytes = maxBytes;
        this.timer = pauses;
    }

    /** Maximum bytes buffered for clients that do not read: a fraction of the heap, but at least 32 MiB. */
    static long maxBufferedBytes() {
        return Math.max(MIN_BUFFER_BYTES, Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
    }

    /**
     * Sends the response if that needs no waiting. Returns the bytes that remain to be sent; empty when the response is
     * complete.
     */
    static Optional<byte[]> sendNow(BufferedResponse answer) throws IOException {
        byte[] bytes = answer.drain();
        HttpServletResponse response = answer.response();
        if (response.isCommitted()) {
            return bytes.length == 0 ? Optional.empty() : Optional.of(bytes);
        }
        if (bytes.length > 0) {
            response.setContentLength(bytes.length);
        }
        ServletOutputStream out = response.getOutputStream();
        // After isReady() returned true, the container accepts the whole write without blocking, also for headers
        // alone. That holds for small responses only.
        if (bytes.length <= MAX_IMMEDIATE_BYTES && out.isReady()) {
            if (bytes.length > 0) {
                out.write(bytes);
            }
            return Optional.empty();
        }
        return Optional.of(bytes);
    }

    /** Sends the response, then completes the request. */
    void deliver(AsyncContext context, BufferedResponse answer) {
        try {
            Optional<byte[]> rest = sendNow(answer);
            if (rest.isPresent()) {
                deliver(context, answer.response().getOutputStream(), rest.get());
            } else {
                context.complete();
            }
        } catch (IOException e) {
            context.complete(); // The client has disconnected.
        }
    }

    /** Sends the bytes chunk by chunk, then completes the request. */
    void deliver(AsyncContext context, ServletOutputStream out, byte[] bytes) {
        AsyncBodyWriter[] own = new AsyncBodyWriter[1];
        AsyncBodyWriter delivery = new AsyncBodyWriter(
                context,
                out,
                bytes,
                nanos,
                count -> bufferedBytes.addAndGet(-count),
                () -> openResponses.remove(own[0]));
        own[0] = delivery;
        openResponses.add(delivery);
        bufferedBytes.addAndGet(bytes.length);
        try {
            out.setWriteListener(delivery);
        } catch (RuntimeException e) {
            delivery.end(); // The client has disconnected, and the container has ended the request.
        }
        evictSlowest();
        scheduleSweep();
    }

    private void evictSlowest() {
        while (bufferedBytes.get() > maxBytes) {
            Optional<AsyncBodyWriter> slowest = openResponses.stream()
                    .min(Comparator.comparingLong(each -> each.progressedAt() - nanos.getAsLong()));
            if (slowest.isEmpty()) {
                return;
            }
            slowest.get().end();
        }
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

    /** Number of bytes that wait for clients. */
    long bufferedBytes() {
        return bufferedBytes.get();
    }
}
