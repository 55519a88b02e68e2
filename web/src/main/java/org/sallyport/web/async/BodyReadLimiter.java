package org.sallyport.web.async;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * Limits requests whose body has not arrived yet, because each waiting read holds a thread. Limits the reads of the
 * node, of each key, and, more strictly, of unauthenticated callers by address and of each inbound webhook, whose
 * sender is not verified before its body. Also limits how long a body may take. Thread-safe.
 */
@ApplicationScoped
public class BodyReadLimiter {
    /** Request attribute with the id of the inbound webhook, a {@link String}, if the request is a delivery to it. */
    public static final String WEBHOOK = "org.sallyport.webhook";

    private static final String NODE_KEY = "";
    private static final String WEBHOOKS_KEY = "webhooks";
    private static final String ANONYMOUS_KEY = "strangers";
    private static final int MAX_ANONYMOUS_READS = 8;
    private static final int MAX_READS_PER_ADDRESS = 4;
    private static final long ANONYMOUS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALLER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Minimum rate of a body that takes longer than its base timeout: each such amount received adds one second. */
    private static final long MIN_BYTES_PER_SECOND = 64 << 10;

    private static final long MAX_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(4_500);

    private final LongSupplier nanos;
    private final KeyedCounter counter = new KeyedCounter();

    @Inject
    Configuration configuration;

    public BodyReadLimiter() {
        this(System::nanoTime);
    }

    BodyReadLimiter(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Permission to wait for one read; the holder must release it. */
    interface ReadPermit {
        void release();
    }

    /**
     * Acquires a permit to wait for the request's body.
     *
     * @throws ProblemException if the limit of the node, the key or the address is reached
     */
    ReadPermit acquire(HttpServletRequest request) {
        int maxPending = configuration.getInt(LimitSettings.MAX_PENDING_BODIES);
        if (request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller) {
            return acquire(
                    new ReadLimit(NODE_KEY, maxPending),
                    new ReadLimit("key " + caller.id(), Math.max(1, maxPending * 2 / 3)));
        } else if (request.getAttribute(WEBHOOK) instanceof String webhook) {
            return acquire(
                    new ReadLimit(NODE_KEY, maxPending),
                    new ReadLimit(WEBHOOKS_KEY, Math.max(1, maxPending / 3)),
                    new ReadLimit("webhook " + webhook, Math.max(1, maxPending / 6)));
        }
        return acquire(
                new ReadLimit(ANONYMOUS_KEY, Math.min(maxPending, MAX_ANONYMOUS_READS)),
                new ReadLimit("address " + request.getRemoteAddr(), MAX_READS_PER_ADDRESS));
    }

    private record ReadLimit(String key, int max) {}

    private ReadPermit acquire(ReadLimit... limits) {
        List<String> acquired = new ArrayList<>();
        for (ReadLimit limit : limits) {
            if (!counter.tryAcquire(limit.key(), limit.max())) {
                acquired.forEach(counter::release);
                throw tooMany();
            }
            acquired.add(limit.key());
        }
        return () -> acquired.forEach(counter::release);
    }

    private static ProblemException tooMany() {
        return new ProblemException(Problem.of(
                ProblemType.RATE_LIMITED,
                "too many requests wait for their body (the server's "
                        + LimitSettings.MAX_PENDING_BODIES.name() + "); try again shortly, and send the body without"
                        + " pauses"));
    }

    /** Starts to measure how fast the body of a request arrives. */
    BodyReadTimer startTimer(HttpServletRequest request) {
        return new BodyReadTimer(
                nanos,
                request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller
                        ? CALLER_TIMEOUT_NANOS
                        : ANONYMOUS_TIMEOUT_NANOS);
    }

    /** Measures how long a body has taken so far. Used by one thread at a time. */
    static final class BodyReadTimer {
        private final LongSupplier nanos;
        private final long timeoutNanos;
        private final long startedAt;
        private long lastReadAt;
        private long bytesRead;

        BodyReadTimer(LongSupplier nanos, long timeoutNanos) {
            this.nanos = nanos;
            this.timeoutNanos = timeoutNanos;
            this.startedAt = nanos.getAsLong();
            this.lastReadAt = startedAt;
        }

        /** @throws ProblemException if the body has taken too long */
        void checkTimeout() {
            long earned = TimeUnit.SECONDS.toNanos(bytesRead / MIN_BYTES_PER_SECOND);
            if (nanos.getAsLong() - startedAt > timeoutNanos + earned) {
                throw tooSlow();
            }
        }

        /**
         * Called after a failed read. Throws {@link ProblemException} if no byte has arrived for so long that the idle
         * client is the cause of the failure.
         */
        void checkIdle() {
            if (nanos.getAsLong() - lastReadAt > MAX_IDLE_NANOS) {
                throw tooSlow();
            }
        }

        void recordRead(int count) {
            lastReadAt = nanos.getAsLong();
            bytesRead += Math.max(0, count);
        }

        private static ProblemException tooSlow() {
            return new ProblemException(
                    ProblemType.REQUEST_TIMEOUT, "the body arrives too slowly, or not at all; send it without pauses");
        }
    }
}
