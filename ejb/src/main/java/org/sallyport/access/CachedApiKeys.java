package org.sallyport.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers keys for a short while, so that a request costs no query; a key removed on another node works here for that
 * while longer. Thread-safe.
 */
public final class CachedApiKeys implements ApiKeyStore {
    private static final int KEPT = 10_000;

    private final ApiKeyStore store;
    private final InstantSource clock;
    private final Duration remembered;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    private record Entry(ApiKey key, Instant until) {}

    public CachedApiKeys(ApiKeyStore store, InstantSource clock, Duration remembered) {
        this.store = store;
        this.clock = clock;
        this.remembered = remembered;
    }

    @Override
    public Optional<ApiKey> find(String id) {
        Instant now = clock.instant();
        Entry entry = entries.get(id);
        if (entry != null && now.isBefore(entry.until())) {
            return Optional.of(entry.key());
        }
        Optional<ApiKey> found = store.find(id);
        if (found.isPresent()) {
            if (entries.size() >= KEPT) {
                entries.clear();
            }
            entries.put(id, new Entry(found.get(), now.plus(remembered)));
        } else {
            entries.remove(id);
        }
        return found;
    }

    @Override
    public void put(ApiKey key) {
        store.put(key);
        entries.remove(key.id());
    }

    @Override
    public boolean remove(String tenant, String id) {
        boolean removed = store.remove(tenant, id);
        entries.remove(id);
        return removed;
    }

    @Override
    public List<ApiKey> list(String tenant) {
        return store.list(tenant);
    }
}
