package org.sallyport.web.async;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts acquired permits per key. Thread-safe. */
public final class KeyedCounter {
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** Acquires one permit of the key if fewer than {@code max} are acquired; returns whether it did. */
    public boolean tryAcquire(String name, int max) {
        AtomicBoolean given = new AtomicBoolean();
        counts.compute(name, (key, before) -> {
            int count = before == null ? 0 : before;
            given.set(count < max);
            return given.get() ? Integer.valueOf(count + 1) : before;
        });
        return given.get();
    }

    /** Releases one permit of the key. */
    public void release(String name) {
        counts.computeIfPresent(name, (key, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    int count(String name) {
        return counts.getOrDefault(name, 0);
    }
}
