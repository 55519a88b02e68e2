package org.sallyport.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Remembers keys for a short while, so that a request costs no query; a key removed or changed on another node is here what it was for
 * that while longer. Thread-safe.
 */
public final class CachedApiKeys implements ApiKeyStore {
    /** A key that was taken away on any node is of no use anywhere five seconds later, other things that remember it included. */
    public static final Duration REMEMBERED = Duration.ofSeconds(2);

    private static final int KEPT = 10_000;

    private final ApiKeyStore store;
    private final InstantSource clock;
    private final Duration remembered;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

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
        long change = changes.get();
        Optional<ApiKey> found = store.find(id);
        if (found.isPresent()) {
            if (entries.size() >= KEPT) {
                entries.clear();
            }
            Entry read = new Entry(found.get(), now.plus(remembered));
            entries.put(id, read);
            if (change != changes.get()) {
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
        changed(key.id());
    }

    @Override
    public boolean grant(String tenant, String id, List<String> grants) {
        boolean changed = store.grant(tenant, id, grants);
        changed(id);
        return changed;
    }

    @Override
    public boolean remove(String tenant, String id) {
        boolean removed = store.remove(tenant, id);
        changed(id);
        return removed;
    }

    private void changed(String id) {
        changes.incrementAndGet();
        entries.remove(id);
    }

    @Override
    public List<ApiKey> list(String tenant) {
        return store.list(tenant);
    }
}
