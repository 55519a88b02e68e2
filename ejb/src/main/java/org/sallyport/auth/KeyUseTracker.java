package org.sallyport.auth;

import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracks when keys were last used. Collects uses in memory and writes them from time to time, so that a request costs
 * no write. A node that is killed loses the uses since its last write. Thread-safe.
 */
public final class KeyUseTracker {
    private static final int MAX_PENDING = 100_000;

    private final KeyUseStore store;
    private final InstantSource clock;
    private final Map<String, Instant> pending = new ConcurrentHashMap<>();

    public KeyUseTracker(KeyUseStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Records that a caller used the key with that id. */
    public void recordUse(String id) {
        if (pending.size() < MAX_PENDING) {
            pending.put(id, clock.instant());
        }
    }

    /** Writes the uses that are not yet stored. When the store does not answer, the next call writes them. */
    public void flush() {
        Map<String, Instant> uses = Map.copyOf(pending);
        if (uses.isEmpty()) {
            return;
        }
        try {
            store.recordUses(uses);
            uses.forEach(pending::remove);
        } catch (RuntimeException e) {
            // Catches every failure, because the thread that runs the flush has other tasks too.
            System.getLogger(KeyUseTracker.class.getName())
                    .log(
                            Level.DEBUG,
                            "the last use of API keys could not be stored; the next flush stores it: {0}",
                            e.getMessage());
        }
    }

    /** Returns when the tenant's keys were last used, by key id, as far as this node knows. */
    public Map<String, Instant> lastUsedByKey(String tenant) {
        Map<String, Instant> uses = new HashMap<>(store.lastUsedByKey(tenant));
        // Includes keys of other tenants; callers look up only the keys of their tenant.
        pending.forEach((id, at) -> uses.merge(id, at, (one, other) -> one.isAfter(other) ? one : other));
        return uses;
    }
}
