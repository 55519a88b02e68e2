package org.sallyport.cache;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToLongBiFunction;

/**
 * Creates caches of values that can be read or computed again. A full cache keeps the entries that are used most, so it
 * may drop an entry that was just added. Where the newest entry must be kept, use {@link RecentEntries}. The caches are
 * thread-safe, evict on the thread that adds an entry, and start no threads.
 */
public final class BoundedCaches {
    private static final long CHAR_BYTES = 2;
    private static final long OBJECT_BYTES = 100;

    private BoundedCaches() {}

    /** Creates a cache for small entries of similar size. */
    public static <K, V> ConcurrentMap<K, V> ofEntries(int maxEntries) {
        return Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumSize(maxEntries)
                .<K, V>build()
                .asMap();
    }

    /**
     * Creates a cache that is bounded in entries and in bytes. An entry that is larger than {@code maxBytes} is not
     * kept.
     *
     * @param bytes estimates the size of an entry on the heap; must give the same size each time
     */
    public static <K, V> ConcurrentMap<K, V> ofBytes(int maxEntries, long maxBytes, ToLongBiFunction<K, V> bytes) {
        // A cache has one bound. An entry counts as its part of all entries at least, so that this bound limits both.
        long minWeight = (maxBytes + maxEntries - 1) / maxEntries;
        return Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(maxBytes)
                .<K, V>weigher((key, value) ->
                        (int) Math.min(Integer.MAX_VALUE, Math.max(minWeight, bytes.applyAsLong(key, value))))
                .<K, V>build()
                .asMap();
    }

    /** Estimates the size of texts on the heap. */
    public static long textBytes(long chars) {
        return OBJECT_BYTES + CHAR_BYTES * chars;
    }

    /** Estimates the size of what was parsed from a JSON text, with the text: one object for each ten characters. */
    public static long parsedJsonBytes(long chars) {
        return OBJECT_BYTES + chars * (CHAR_BYTES + OBJECT_BYTES / 10);
    }
}
