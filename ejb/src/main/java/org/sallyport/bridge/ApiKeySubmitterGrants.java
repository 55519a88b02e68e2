package org.sallyport.bridge;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.policy.ToolGrants;

/**
 * Returns the current grants of the API keys that submitted executions. A deleted key grants nothing. An expired key
 * keeps its grants for executions that were submitted in time. While the store is unavailable, the last known grants
 * apply. Subjects of tokens and certificates have no grants of their own and are not restricted here. Thread-safe.
 */
public final class ApiKeySubmitterGrants implements SubmitterGrants {
    private static final int MAX_ENTRIES = 10_000;

    private final ApiKeyStore keys;
    private final InstantSource clock;
    private final Duration ttl;
    private final Map<String, CachedGrants> cache = BoundedCaches.ofEntries(MAX_ENTRIES);

    /** @param expiresAt until when the entry is served without a query */
    private record CachedGrants(Optional<ToolGrants> grants, Instant expiresAt) {}

    /**
     * @param keys caches keys itself, since it is queried for every call
     * @param remembered how long the facts that a key is deleted, or that the store is unavailable, are cached
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
            cache.put(submitter, next);
        }
        return next.grants();
    }

    private CachedGrants load(String submitter, Instant now, Optional<CachedGrants> last) {
        try {
            Optional<ToolGrants> grants =
                    keys.find(submitter).map(ApiKey::grants).map(ToolGrants::new);
            // Only a missing key is cached here: a deleted key never comes back, and the key store caches existing
            // keys.
            return new CachedGrants(grants, grants.isPresent() ? Instant.MIN : now.plus(ttl));
        } catch (StoreUnavailableException e) {
            return new CachedGrants(last.orElseThrow(() -> e).grants(), now.plus(ttl));
        }
    }
}
