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
import org.sallyport.access.Keys;

/**
 * Slows those down who try keys: by the address that they come from and by the key that they try, twice as long each time. It is
 * asked only about keys that are wrong, so that nobody else can keep the owner of a right one out. Thread-safe.
 */
@ApplicationScoped
public class Brake {
    /** Whoever sets up a client may well be wrong a few times, and behind one address there may be many. */
    static final int FREE = 50;

    static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Duration FORGOTTEN = Duration.ofMinutes(15);
    private static final int REMEMBERED = 10_000;

    private final InstantSource clock;
    private final Map<String, Tries> tries = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tries> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** How often something was wrong, when last, and until when it is not to be tried again. */
    private record Tries(int count, Instant last, Instant until) {}

    public Brake() {
        this(InstantSource.system());
    }

    Brake(InstantSource clock) {
        this.clock = clock;
    }

    /** Takes note of a wrong key; for how long no more are to be tried, if that is so. */
    public synchronized Optional<Duration> wrong(HttpServletRequest request, String secret) {
        Instant now = clock.instant();
        String address = "address " + network(request.getRemoteAddr());
        Instant until = tried(address, now);
        Optional<String> id = Keys.idIn(secret);
        if (id.isPresent()) {
            Instant ofKey = tried("key " + id.get(), now);
            until = ofKey.isAfter(until) ? ofKey : until;
        }
        return until.isAfter(now) ? Optional.of(Duration.between(now, until)) : Optional.empty();
    }

    /** Until when it is not to be tried again; what is tried before that changes nothing. */
    private Instant tried(String what, Instant now) {
        Tries before = tries.get(what);
        if (before != null && before.until().isAfter(now)) {
            return before.until();
        }
        int count = before == null || before.last().plus(FORGOTTEN).isBefore(now) ? 1 : before.count() + 1;
        Instant until = count <= FREE ? now : now.plus(pause(count - FREE));
        if (count == FREE + 1) {
            System.getLogger(Brake.class.getName()).log(Level.WARNING, "wrong keys again and again: {0}", what);
        }
        tries.put(what, new Tries(count, now, until));
        return until;
    }

    private static Duration pause(int times) {
        Duration pause = Duration.ofSeconds(1L << Math.min(times - 1, 20));
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
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
