package org.sallyport.web.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.access.ApiKeyService;

/**
 * Slows those down who try keys: by the address that they come from and by the key that they try, twice as long each time. It is
 * asked only about keys that are wrong, so that nobody else can keep the owner of a right one out. Thread-safe.
 */
@ApplicationScoped
public class FailedLoginLimiter {
    /** Whoever sets up a client may well be wrong a few times, and behind one address there may be many. */
    static final int FREE_ATTEMPTS = 50;

    static final Duration MAX_PAUSE = Duration.ofMinutes(5);
    private static final Duration FORGET_AFTER = Duration.ofMinutes(15);
    private static final int MAX_TRACKED = 10_000;

    private final InstantSource clock;
    private final Map<String, FailedAttempts> failures = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, FailedAttempts> eldest) {
            return size() > MAX_TRACKED;
        }
    };

    /** How often something was wrong, when last, and until when it is not to be tried again. */
    private record FailedAttempts(int count, Instant lastAt, Instant blockedUntil) {}

    public FailedLoginLimiter() {
        this(InstantSource.system());
    }

    FailedLoginLimiter(InstantSource clock) {
        this.clock = clock;
    }

    /** Takes note of a wrong key; for how long no more are to be tried, if that is so. */
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

    /** Until when it is not to be tried again; what is tried before that changes nothing. */
    private Instant recordFailureOf(String what, Instant now) {
        FailedAttempts before = failures.get(what);
        if (before != null && before.blockedUntil().isAfter(now)) {
            return before.blockedUntil();
        }
        int count = before == null || before.lastAt().plus(FORGET_AFTER).isBefore(now) ? 1 : before.count() + 1;
        Instant until = count <= FREE_ATTEMPTS ? now : now.plus(backoff(count - FREE_ATTEMPTS));
        if (count == FREE_ATTEMPTS + 1) {
            System.getLogger(FailedLoginLimiter.class.getName())
                    .log(Level.WARNING, "wrong keys again and again: {0}", what);
        }
        failures.put(what, new FailedAttempts(count, now, until));
        return until;
    }

    private static Duration backoff(int times) {
        Duration pause = Duration.ofSeconds(1L << Math.min(times - 1, 20));
        return pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
    }

    /** Of IPv6 a subscriber has 2^64 addresses: they count as one. */
    static String network(String address) {
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
