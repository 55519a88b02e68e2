package org.sallyport.web.stream;

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
 * Answers on their way to clients that read as slowly as they like: no thread waits for any of them. A client who takes nothing for
 * long is let go, and when they leave too much lying here the one who has taken nothing for longest. Thread-safe.
 */
@ApplicationScoped
public class AsyncResponses {
    /** What the container takes at once, whatever the client does. */
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

    /** For the container, which makes a proxy of it. */
    protected AsyncResponses() {
        this(System::nanoTime, 0, millis -> CompletableFuture.completedFuture(null));
    }

    @Inject
    public AsyncResponses(CompletionWaiter waiting) {
        this(System::nanoTime, maxBufferedBytes(), waiting::delay);
    }

    /**
     * @param most how many bytes may wait for their readers
     * @param pauses completes on a thread that may block, when so many milliseconds have passed
     */
    AsyncResponses(LongSupplier nanos, long most, LongFunction<CompletionStage<Void>> pauses) {
        this.nanos = nanos;
        this.maxBytes = most;
        this.timer = pauses;
    }

    /** What may lie here for clients who do not read: a part of the memory. */
    static long maxBufferedBytes() {
        return Math.max(MIN_BUFFER_BYTES, Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
    }

    /** Sends what can be sent now; what is left then, if there is something. */
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
        // Once it was ready the container takes all of it, headers alone too, without waiting: for small answers only.
        if (bytes.length <= MAX_IMMEDIATE_BYTES && out.isReady()) {
            if (bytes.length > 0) {
                out.write(bytes);
            }
            return Optional.empty();
        }
        return Optional.of(bytes);
    }

    /** Sends the answer, then completes the request. */
    void deliver(AsyncContext context, BufferedResponse answer) {
        try {
            Optional<byte[]> rest = sendNow(answer);
            if (rest.isPresent()) {
                deliver(context, answer.response().getOutputStream(), rest.get());
            } else {
                context.complete();
            }
        } catch (IOException e) {
            context.complete(); // The client has gone.
        }
    }

    /** Sends the bytes piece by piece, then completes the request. */
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
            delivery.end(); // The client has gone, and the container has ended it.
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

    /** Lets those go who take nothing. */
    void sweep() {
        long now = nanos.getAsLong();
        List.copyOf(openResponses).stream()
                .filter(each ->
                        now - each.progressedAt() > STALL_TIMEOUT_NANOS || now - each.startedAt() > MAX_DURATION_NANOS)
                .forEach(AsyncBodyWriter::end);
    }

    /** How many answers wait for their readers. */
    int openCount() {
        return openResponses.size();
    }

    /** How many bytes of them. */
    long bufferedBytes() {
        return bufferedBytes.get();
    }
}
