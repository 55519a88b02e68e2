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
import org.sallyport.execution.Waiting;

/**
 * Answers on their way to clients that read as slowly as they like: no thread waits for any of them. A client who takes nothing for
 * long is let go, and when they leave too much lying here the one who has taken nothing for longest. Thread-safe.
 */
@ApplicationScoped
public class Deliveries {
    /** What the container takes at once, whatever the client does. */
    private static final int SMALL = 64 << 10;

    static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long LOOK_MILLIS = 1_000;
    private static final long LEAST_BYTES = 32L << 20;
    private static final int PART_OF_MEMORY = 8;

    private final LongSupplier nanos;
    private final long most;
    private final Set<Delivery> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong held = new AtomicLong();
    private final AtomicBoolean looking = new AtomicBoolean();

    private final LongFunction<CompletionStage<Void>> pauses;

    /** For the container, which makes a proxy of it. */
    protected Deliveries() {
        this(System::nanoTime, 0, millis -> CompletableFuture.completedFuture(null));
    }

    @Inject
    public Deliveries(Waiting waiting) {
        this(System::nanoTime, mostHeldBytes(), waiting::pause);
    }

    /**
     * @param most how many bytes may wait for their readers
     * @param pauses completes on a thread that may block, when so many milliseconds have passed
     */
    Deliveries(LongSupplier nanos, long most, LongFunction<CompletionStage<Void>> pauses) {
        this.nanos = nanos;
        this.most = most;
        this.pauses = pauses;
    }

    /** What may lie here for clients who do not read: a part of the memory. */
    static long mostHeldBytes() {
        return Math.max(LEAST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_MEMORY);
    }

    /** Sends what can be sent now; what is left then, if there is something. */
    static Optional<byte[]> sendNow(HeldAnswer answer) throws IOException {
        byte[] bytes = answer.take();
        HttpServletResponse response = answer.response();
        if (response.isCommitted()) {
            return bytes.length == 0 ? Optional.empty() : Optional.of(bytes);
        }
        if (bytes.length > 0) {
            response.setContentLength(bytes.length);
        }
        ServletOutputStream out = response.getOutputStream();
        // Once it was ready the container takes all of it, headers alone too, without waiting: for small answers only.
        if (bytes.length <= SMALL && out.isReady()) {
            if (bytes.length > 0) {
                out.write(bytes);
            }
            return Optional.empty();
        }
        return Optional.of(bytes);
    }

    /** Sends the answer, then completes the request. */
    void deliver(AsyncContext context, HeldAnswer answer) {
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
        Delivery[] own = new Delivery[1];
        Delivery delivery =
                new Delivery(context, out, bytes, nanos, count -> held.addAndGet(-count), () -> open.remove(own[0]));
        own[0] = delivery;
        open.add(delivery);
        held.addAndGet(bytes.length);
        try {
            out.setWriteListener(delivery);
        } catch (RuntimeException e) {
            delivery.end(); // The client has gone, and the container has ended it.
        }
        makeRoom();
        look();
    }

    private void makeRoom() {
        while (held.get() > most) {
            Optional<Delivery> slowest =
                    open.stream().min(Comparator.comparingLong(each -> each.movedAt() - nanos.getAsLong()));
            if (slowest.isEmpty()) {
                return;
            }
            slowest.get().end();
        }
    }

    private void look() {
        if (!open.isEmpty() && looking.compareAndSet(false, true)) {
            pauses.apply(LOOK_MILLIS).thenRun(() -> {
                looking.set(false);
                sweep();
                look();
            });
        }
    }

    /** Lets those go who take nothing. */
    void sweep() {
        long now = nanos.getAsLong();
        List.copyOf(open).stream()
                .filter(each -> now - each.movedAt() > STALLED_NANOS || now - each.begunAt() > LONGEST_NANOS)
                .forEach(Delivery::end);
    }

    /** How many answers wait for their readers. */
    int openCount() {
        return open.size();
    }

    /** How many bytes of them. */
    long heldBytes() {
        return held.get();
    }
}
