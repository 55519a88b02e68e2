package org.sallyport.bridge;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.Subject;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Holdings;

/**
 * What the keys grant that executions were submitted with. A key that is gone grants nothing; one that has expired grants what it did,
 * for those that came in time. While the store is away the last that was heard holds. Subjects of tokens and certificates have
 * no grants of their own.
 */
public final class HeldByKeys implements Holdings {
    private static final int KEPT = 10_000;

    private final ApiKeyStore keys;
    private final InstantSource clock;
    private final Duration remembered;
    private final Map<String, Heard> heard = new ConcurrentHashMap<>();

    /** @param until before when nobody is asked again */
    private record Heard(Optional<Grants> grants, Instant until) {}

    /**
     * @param keys remembers keys itself, since it is asked for every call
     * @param remembered how long it is believed without asking that a key is gone, or the store away
     */
    public HeldByKeys(ApiKeyStore keys, InstantSource clock, Duration remembered) {
        this.keys = keys;
        this.clock = clock;
        this.remembered = remembered;
    }

    @Override
    public Optional<Grants> of(String submitter) {
        if (Subject.isCallerId(submitter)) {
            return EVERYTHING.of(submitter);
        }
        Instant now = clock.instant();
        Heard last = heard.get(submitter);
        if (last != null && now.isBefore(last.until())) {
            return last.grants();
        }
        Heard next = ask(submitter, now, Optional.ofNullable(last));
        if (!next.equals(last)) {
            if (heard.size() >= KEPT) {
                heard.clear();
            }
            heard.put(submitter, next);
        }
        return next.grants();
    }

    private Heard ask(String submitter, Instant now, Optional<Heard> last) {
        try {
            Optional<Grants> grants = keys.find(submitter).map(ApiKey::grants).map(Grants::new);
            // No key comes back, and the store of keys remembers those that are there.
            return new Heard(grants, grants.isPresent() ? Instant.MIN : now.plus(remembered));
        } catch (StoreUnavailableException e) {
            return new Heard(last.orElseThrow(() -> e).grants(), now.plus(remembered));
        }
    }
}
