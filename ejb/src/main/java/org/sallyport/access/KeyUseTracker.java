package org.sallyport.access;

import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When keys were last used. Remembered first and written now and then, so that a request costs nothing: a node that is killed forgets
 * what came since. Thread-safe.
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

    /** Somebody came with the key of that id. */
    public void recordUse(String id) {
        if (pending.size() < MAX_PENDING) {
            pending.put(id, clock.instant());
        }
    }

    /** Writes what is not written; when the store does not answer, the next time does. */
    public void flush() {
        Map<String, Instant> uses = Map.copyOf(pending);
        if (uses.isEmpty()) {
            return;
        }
        try {
            store.recordUses(uses);
            uses.forEach(pending::remove);
        } catch (RuntimeException e) {
            // Whatever it is: who is asked to write has more to do than this.
            System.getLogger(KeyUseTracker.class.getName())
                    .log(Level.DEBUG, "when keys were used could not be noted: {0}", e.getMessage());
        }
    }

    /** When the tenant's keys were last used, by their ids, as far as this node knows. */
    public Map<String, Instant> lastUsedByKey(String tenant) {
        Map<String, Instant> uses = new HashMap<>(store.lastUsedByKey(tenant));
        // Others' are among them: whoever asks looks up his own.
        pending.forEach((id, at) -> uses.merge(id, at, (one, other) -> one.isAfter(other) ? one : other));
        return uses;
    }
}
