package org.sallyport.auth;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.sallyport.cache.BoundedCaches;

/**
 * Caches keys for {@link #TTL}, so that a request costs no query. This node sees the removal or change of a key on
 * another node after at most that time. Thread-safe.
 */
public final class CachingApiKeyStore implements ApiKeyStore {
    /**
     * Short enough that a key that was revoked on any node stops working on all nodes within five seconds, other caches
     * of it included.
     */
    public static final Duration TTL = Duration.ofSeconds(2);

    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_BYTES = 16L << 20;

    private final ApiKeyStore store;
    private final InstantSource clock;
    private final Duration ttl;
    private final Map<String, CachedApiKey> entries =
            BoundedCaches.ofBytes(MAX_ENTRIES, MAX_BYTES, (id, entry) -> entry.estimateBytes());
    private final AtomicLong changeCount = new AtomicLong();

    private record CachedApiKey(ApiKey key, Instant expiresAt) {
        long estimateBytes() {
            return BoundedCaches.textBytes(key.name().length())
                    + key.grants().stream()
                            .mapToLong(grant -> BoundedCaches.textBytes(grant.length()))
                            .sum();
        }
    }

    public CachingApiKeyStore(ApiKeyStore store, InstantSource clock, Duration remembered) {
        this.store = store;
        this.clock = clock;
        this.ttl = remembered;
    }

    @Override
    public Optional<ApiKey> find(String id) {
        Instant now = clock.instant();
        CachedApiKey entry = entries.get(id);
        if (entry != null && now.isBefore(entry.expiresAt())) {
            return Optional.of(entry.key());
        }
        long change = changeCount.get();
        Optional<ApiKey> found = store.find(id);
        if (found.isPresent()) {
            CachedApiKey read = new CachedApiKey(found.get(), now.plus(ttl));
            entries.put(id, read);
            if (change != changeCount.get()) {
                entries.remove(id, read); // it may have been read before the change
            }
        } else {
            entries.remove(id);
        }
        return found;
    }

    @Override
    public void put(ApiKey key) {
        store.put(key);
        invalidate(key.id());
    }

    @Override
    public boolean replaceGrants(String tenant, String id, List<String> grants) {
        boolean changed = store.replaceGrants(tenant, id, grants);
        invalidate(id);
        return changed;
    }

    @Override
    public boolean remove(String tenant, String id) {
        boolean removed = store.remove(tenant, id);
        invalidate(id);
        return removed;
    }

    private void invalidate(String id) {
        changeCount.incrementAndGet();
        entries.remove(id);
    }

    @Override
    public List<ApiKey> list(String tenant) {
        return store.list(tenant);
    }
}
