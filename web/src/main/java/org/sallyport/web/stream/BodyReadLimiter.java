package org.sallyport.web.stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * Bodies that are not there yet: each that is waited for holds a thread, so that only so many are, fewer of one key, fewest of
 * those who have shown none, and none for long. Thread-safe.
 */
@ApplicationScoped
public class BodyReadLimiter {
    private static final String NODE_KEY = "";
    private static final String ANONYMOUS_KEY = "strangers";
    private static final int MAX_ANONYMOUS_READS = 8;
    private static final int MAX_READS_PER_ADDRESS = 4;
    private static final long ANONYMOUS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALLER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** After that long, a body must have come at this rate at least. */
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

    /** A right to wait; must be given back. */
    interface ReadPermit {
        void release();
    }

    /** Takes a place; {@link ApiProblemException} when there is none. */
    ReadPermit acquire(HttpServletRequest request) {
        int most = configuration.getInt(LimitSettings.MAX_PENDING_BODIES);
        return request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller
                ? acquire(NODE_KEY, most, "key " + caller.id(), Math.max(1, most * 2 / 3))
                : acquire(
                        ANONYMOUS_KEY,
                        Math.min(most, MAX_ANONYMOUS_READS),
                        "address " + request.getRemoteAddr(),
                        MAX_READS_PER_ADDRESS);
    }

    private ReadPermit acquire(String all, int mostOfAll, String own, int mostOfOwn) {
        if (!counter.tryAcquire(all, mostOfAll)) {
            throw tooMany();
        }
        if (!counter.tryAcquire(own, mostOfOwn)) {
            counter.release(all);
            throw tooMany();
        }
        return () -> {
            counter.release(own);
            counter.release(all);
        };
    }

    private static ProblemException tooMany() {
        return new ProblemException(Problem.of(
                ProblemType.RATE_LIMITED,
                "too many requests are open whose body has not come (the server's "
                        + LimitSettings.MAX_PENDING_BODIES.name() + "); send it faster, and again shortly"));
    }

    /** Measures how a request's body comes. */
    BodyReadTimer startTimer(HttpServletRequest request) {
        return new BodyReadTimer(
                nanos,
                request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller
                        ? CALLER_TIMEOUT_NANOS
                        : ANONYMOUS_TIMEOUT_NANOS);
    }

    /** How long a body has taken to come so far. Used by one thread at a time. */
    static final class BodyReadTimer {
        private final LongSupplier nanos;
        private final long timeoutNanos;
        private final long startedAt;
        private long lastReadAt;
        private long bytesRead;

        BodyReadTimer(LongSupplier nanos, long patience) {
            this.nanos = nanos;
            this.timeoutNanos = patience;
            this.startedAt = nanos.getAsLong();
            this.lastReadAt = startedAt;
        }

        /** {@link ApiProblemException} when it has taken too long. */
        void checkTimeout() {
            long earned = TimeUnit.SECONDS.toNanos(bytesRead / MIN_BYTES_PER_SECOND);
            if (nanos.getAsLong() - startedAt > timeoutNanos + earned) {
                throw tooSlow();
            }
        }

        /** {@link ApiProblemException} when nothing has come for so long that it is why no more was read. */
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
                    ProblemType.REQUEST_TIMEOUT, "the body comes too slowly, or not at all; send it in one go");
        }
    }
}
