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
public class Bodies {
    private static final String NODE = "";
    private static final String STRANGERS = "strangers";
    private static final int OF_STRANGERS = 8;
    private static final int OF_ADDRESS = 4;
    private static final long STRANGER_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALLER_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** After that long, a body must have come at this rate at least. */
    private static final long BYTES_A_SECOND = 64 << 10;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4_500);

    private final LongSupplier nanos;
    private final Quota quota = new Quota();

    @Inject
    Configuration configuration;

    public Bodies() {
        this(System::nanoTime);
    }

    Bodies(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A right to wait; must be given back. */
    interface Place {
        void giveBack();
    }

    /** Takes a place; {@link ProblemException} when there is none. */
    Place take(HttpServletRequest request) {
        int most = configuration.integer(LimitSettings.BODIES);
        return request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller
                ? take(NODE, most, "key " + caller.keyId(), Math.max(1, most * 2 / 3))
                : take(STRANGERS, Math.min(most, OF_STRANGERS), "address " + request.getRemoteAddr(), OF_ADDRESS);
    }

    private Place take(String all, int mostOfAll, String own, int mostOfOwn) {
        if (!quota.take(all, mostOfAll)) {
            throw tooMany();
        }
        if (!quota.take(own, mostOfOwn)) {
            quota.giveBack(all);
            throw tooMany();
        }
        return () -> {
            quota.giveBack(own);
            quota.giveBack(all);
        };
    }

    private static ProblemException tooMany() {
        return new ProblemException(Problem.of(
                ProblemType.RATE_LIMITED,
                "too many requests are open whose body has not come (the server's " + LimitSettings.BODIES.name()
                        + "); send it faster, and again shortly"));
    }

    /** Measures how a request's body comes. */
    Clock clock(HttpServletRequest request) {
        return new Clock(
                nanos,
                request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller ? CALLER_NANOS : STRANGER_NANOS);
    }

    /** How long a body has taken to come so far. Used by one thread at a time. */
    static final class Clock {
        private final LongSupplier nanos;
        private final long patience;
        private final long begun;
        private long last;
        private long bytes;

        Clock(LongSupplier nanos, long patience) {
            this.nanos = nanos;
            this.patience = patience;
            this.begun = nanos.getAsLong();
            this.last = begun;
        }

        /** {@link ProblemException} when it has taken too long. */
        void check() {
            long earned = TimeUnit.SECONDS.toNanos(bytes / BYTES_A_SECOND);
            if (nanos.getAsLong() - begun > patience + earned) {
                throw tooSlow();
            }
        }

        /** {@link ProblemException} when nothing has come for so long that it is why no more was read. */
        void checkPause() {
            if (nanos.getAsLong() - last > PAUSE_NANOS) {
                throw tooSlow();
            }
        }

        void came(int count) {
            last = nanos.getAsLong();
            bytes += Math.max(0, count);
        }

        private static ProblemException tooSlow() {
            return new ProblemException(
                    ProblemType.REQUEST_TIMEOUT, "the body comes too slowly, or not at all; send it in one go");
        }
    }
}
