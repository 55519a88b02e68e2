package org.sallyport.cache;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records of recent events, such as failed logins and cancelled calls. A full map drops the entry that was not used for
 * the longest time, never the one that was just added. Thread-safe. The functions that callers pass run one at a time.
 */
public final class RecentEntries<K, V> {
    private static final float LOAD_FACTOR = 0.75f;

    private final int maxEntries;
    private final Map<K, V> entries = new LinkedHashMap<>(16, LOAD_FACTOR, true);

    public RecentEntries(int maxEntries) {
        this.maxEntries = maxEntries;
    }

    /** Returns the value, which is a use of the entry; null if there is none. */
    public synchronized @Nullable V get(K key) {
        return entries.get(key);
    }

    /** Returns whether there is an entry, which is no use of it. */
    public synchronized boolean contains(K key) {
        return entries.containsKey(key);
    }

    public synchronized void put(K key, V value) {
        entries.put(key, value);
        removeEldest();
    }

    /** Adds an entry unless there is one. Returns the value that was there; null if there was none. */
    public synchronized @Nullable V putIfAbsent(K key, V value) {
        V before = entries.putIfAbsent(key, value);
        removeEldest();
        return before;
    }

    /**
     * Replaces the value by the result of {@code change}, and returns it.
     *
     * @param change receives the key and the value, which is null if there is no entry
     */
    public synchronized V update(K key, BiFunction<K, @Nullable V, V> change) {
        V changed = change.apply(key, entries.get(key));
        entries.put(key, changed);
        removeEldest();
        return changed;
    }

    /** Returns the value that was removed; null if there was none. */
    public synchronized @Nullable V remove(K key) {
        return entries.remove(key);
    }

    /** Removes the entry if it has this value. */
    public synchronized void remove(K key, V value) {
        entries.remove(key, value);
    }

    /** Removes the entries whose values match. */
    public synchronized void removeValuesIf(Predicate<V> condition) {
        entries.values().removeIf(condition);
    }

    public synchronized int size() {
        return entries.size();
    }

    private void removeEldest() {
        if (entries.size() > maxEntries) {
            Iterator<K> oldestFirst = entries.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
    }
}
