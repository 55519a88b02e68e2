package org.sallyport.quota;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sallyport.cache.BoundedCaches;

/**
 * Counts the bytes that tenants store in artifacts and journals. The journals are counted at most once a minute for
 * each tenant, because the store reads all executions of the tenant for it. In between, and while another thread counts
 * them, the last count applies. Thread-safe.
 */
public final class StoredBytesCounter {
    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_AGE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final QuotaStore store;
    private final LongSupplier nanos;
    private final ConcurrentMap<String, JournalByteCount> journals = BoundedCaches.ofEntries(MAX_ENTRIES);

    private record JournalByteCount(long bytes, long countedAtNanos) {}

    /** @param nanos a clock like {@link System#nanoTime} */
    public StoredBytesCounter(QuotaStore store, LongSupplier nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    /** Returns the bytes of the artifacts and journals of the tenant. Blocks on the store. */
    public long countBytes(String tenant) {
        return store.artifactBytes(tenant) + journalBytes(tenant);
    }

    private long journalBytes(String tenant) {
        long now = nanos.getAsLong();
        JournalByteCount known = journals.get(tenant);
        if (known != null
                && (now - known.countedAtNanos() < MAX_AGE_NANOS
                        || !journals.replace(tenant, known, new JournalByteCount(known.bytes(), now)))) {
            return known.bytes();
        }
        long bytes = store.journalBytes(tenant);
        journals.put(tenant, new JournalByteCount(bytes, now));
        return bytes;
    }
}
