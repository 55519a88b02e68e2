package org.sallyport.web.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.cache.RecentEntries;

/**
 * Throttles clients that try API keys, by source address and by the id of the key. After {@link #FREE_ATTEMPTS}
 * failures, the pause doubles with each failure up to {@link #MAX_PAUSE}. Only wrong keys are checked here, so that an
 * attacker cannot lock out the owner of a valid key. Thread-safe.
 */
@ApplicationScoped
public class FailedLoginLimiter {
    /** Failures without a pause: setting up a client takes a few attempts, and many clients may share one address. */
    static final int FREE_ATTEMPTS = 50;

    static final Duration MAX_PAUSE = Duration.ofMinutes(5);
    private static final Duration FORGET_AFTER = Duration.ofMinutes(15);
    private static final int MAX_TRACKED = 10_000;

    private final InstantSource clock;
    private final LogLineLimiter logLimiter;
    private final RecentEntries<String, FailedAttempts> failures = new RecentEntries<>(MAX_TRACKED);

    /** Number of failures, time of the last one, and the time until which further attempts are blocked. */
    private record FailedAttempts(int count, Instant lastAt, Instant blockedUntil) {}

    public FailedLoginLimiter() {
        this(InstantSource.system(), System::nanoTime);
    }

    /** @param nanos a monotonic clock, in nanoseconds */
    FailedLoginLimiter(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.logLimiter = new LogLineLimiter(nanos);
    }

    /**
     * Records a wrong key. Returns how long the client must wait before the next attempt; empty if it need not wait.
     */
    public synchronized Optional<Duration> recordFailure(HttpServletRequest request, String secret) {
        Instant now = clock.instant();
        String address = "address " + network(request.getRemoteAddr());
        Instant until = recordFailureOf(address, now);
        Optional<String> id = ApiKeyService.parseId(secret);
        if (id.isPresent()) {
            Instant ofKey = recordFailureOf("key " + id.get(), now);
            until = ofKey.isAfter(until) ? ofKey : until;
        }
        return until.isAfter(now) ? Optional.of(Duration.between(now, until)) : Optional.empty();
    }

    /**
     * Records a failure of one address or key; returns until when it is blocked. Failures during a pause do not extend
     * it.
     */
    private Instant recordFailureOf(String what, Instant now) {
        FailedAttempts before = failures.get(what);
        if (before != null && before.blockedUntil().isAfter(now)) {
            return before.blockedUntil();
        }
        int count = before == null || before.lastAt().plus(FORGET_AFTER).isBefore(now) ? 1 : before.count() + 1;
        Instant until = count <= FREE_ATTEMPTS ? now : now.plus(backoff(count - FREE_ATTEMPTS));
        if (count == FREE_ATTEMPTS + 1) {
            logDelay(what);
        }
        failures.put(what, new FailedAttempts(count, now, until));
        return until;
    }

    /** Logs the first delay only: a client can invent ids of keys. */
    private void logDelay(String what) {
        long untold = logLimiter.suppressedSinceLastLog();
        if (untold >= 0) {
            System.getLogger(FailedLoginLimiter.class.getName())
                    .log(
                            Level.WARNING,
                            "repeated wrong credentials, further attempts are delayed: {0}{1}",
                            what,
                            untold == 0 ? "" : "; so were those of " + untold + " others since the last such line");
        }
    }

    private static Duration backoff(int times) {
        Duration pause = Duration.ofSeconds(1L << Math.min(times - 1, 20));
        return pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
    }

    /**
     * Maps an IPv6 address to its /64 network, since a subscriber has 2^64 addresses. IPv4 addresses stay as they are.
     */
    public static String network(String address) {
        if (!address.contains(":")) {
            return address;
        }
        String bare = address.replaceAll("^\\[|]$|%.*$", "");
        int gap = bare.indexOf("::");
        String[] head = (gap < 0 ? bare : bare.substring(0, gap)).split(":");
        StringBuilder network = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            network.append(
                            i < head.length && !head[i].isEmpty()
                                    ? Integer.toHexString(Integer.parseInt(head[i], 16))
                                    : "0")
                    .append(':');
        }
        return network.append(":/64").toString();
    }
}
