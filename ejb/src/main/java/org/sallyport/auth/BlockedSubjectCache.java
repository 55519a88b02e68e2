package org.sallyport.auth;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.sallyport.cache.BoundedCaches;

/**
 * The blocked subjects, whose tokens are refused. Caches the store's answer for a short time, so that a request costs
 * no query. This node sees a block by another node after at most that time. Thread-safe.
 */
public final class BlockedSubjectCache {
    private static final int MAX_ENTRIES = 10_000;

    private final BlockedSubjectStore store;
    private final Supplier<UUID> ids;
    private final InstantSource clock;
    private final Duration ttl;
    private final Map<BlockedSubjectKey, CachedBlockedSubject> entries = BoundedCaches.ofEntries(MAX_ENTRIES);

    private record BlockedSubjectKey(String tenant, ExternalSubject subject) {}

    private record CachedBlockedSubject(boolean blocked, Instant expiresAt) {}

    /** @param ids supplies UUIDs version 7 */
    public BlockedSubjectCache(
            BlockedSubjectStore store, Supplier<UUID> ids, InstantSource clock, Duration remembered) {
        this.store = store;
        this.ids = ids;
        this.clock = clock;
        this.ttl = remembered;
    }

    /** Returns whether the tenant blocks the subject. */
    public boolean isBlocked(String tenant, ExternalSubject subject) {
        BlockedSubjectKey key = new BlockedSubjectKey(tenant, subject);
        Instant now = clock.instant();
        CachedBlockedSubject entry = entries.get(key);
        if (entry != null && now.isBefore(entry.expiresAt())) {
            return entry.blocked();
        }
        boolean blocked = store.contains(tenant, subject);
        entries.put(key, new CachedBlockedSubject(blocked, now.plus(ttl)));
        return blocked;
    }

    /** Blocks the subject for the tenant, within moments on every node. */
    public BlockedSubject block(String tenant, ExternalSubject subject, String reason, String by) {
        BlockedSubject blocked = store.add(new BlockedSubject(ids.get(), tenant, subject, reason, by, clock.instant()));
        entries.remove(new BlockedSubjectKey(tenant, subject));
        return blocked;
    }

    /** Removes a block. Returns whether the tenant had it. */
    public boolean unblock(String tenant, UUID id) {
        Optional<BlockedSubject> removed = store.remove(tenant, id);
        removed.ifPresent(was -> entries.remove(new BlockedSubjectKey(tenant, was.subject())));
        return removed.isPresent();
    }

    /** Returns the tenant's blocked subjects, newest first. */
    public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
        return store.list(tenant, before, limit);
    }
}
