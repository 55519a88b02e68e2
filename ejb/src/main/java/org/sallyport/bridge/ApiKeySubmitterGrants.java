package org.sallyport.bridge;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.ExternalSubject;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.policy.ToolGrants;

/**
 * What the keys grant that executions were submitted with. A key that is gone grants nothing; one that has expired grants what it did,
 * for those that came in time. While the store is away the last that was heard holds. Subjects of tokens and certificates have
 * no grants of their own.
 */
public final class ApiKeySubmitterGrants implements SubmitterGrants {
    private static final int MAX_ENTRIES = 10_000;

    private final ApiKeyStore keys;
    private final InstantSource clock;
    private final Duration ttl;
    private final Map<String, CachedGrants> cache = new ConcurrentHashMap<>();

    /** @param expiresAt before when nobody is asked again */
    private record CachedGrants(Optional<ToolGrants> grants, Instant expiresAt) {}

    /**
     * @param keys remembers keys itself, since it is asked for every call
     * @param remembered how long it is believed without asking that a key is gone, or the store away
     */
    public ApiKeySubmitterGrants(ApiKeyStore keys, InstantSource clock, Duration remembered) {
        this.keys = keys;
        this.clock = clock;
        this.ttl = remembered;
    }

    @Override
    public Optional<ToolGrants> grantsFor(String submitter) {
        if (ExternalSubject.isExternalCallerId(submitter)) {
            return ALL_TOOLS.grantsFor(submitter);
        }
        Instant now = clock.instant();
        CachedGrants last = cache.get(submitter);
        if (last != null && now.isBefore(last.expiresAt())) {
            return last.grants();
        }
        CachedGrants next = load(submitter, now, Optional.ofNullable(last));
        if (!next.equals(last)) {
            if (cache.size() >= MAX_ENTRIES) {
                cache.clear();
            }
            cache.put(submitter, next);
        }
        return next.grants();
    }

    private CachedGrants load(String submitter, Instant now, Optional<CachedGrants> last) {
        try {
            Optional<ToolGrants> grants =
                    keys.find(submitter).map(ApiKey::grants).map(ToolGrants::new);
            // No key comes back, and the store of keys remembers those that are there.
            return new CachedGrants(grants, grants.isPresent() ? Instant.MIN : now.plus(ttl));
        } catch (StoreUnavailableException e) {
            return new CachedGrants(last.orElseThrow(() -> e).grants(), now.plus(ttl));
        }
    }
}
