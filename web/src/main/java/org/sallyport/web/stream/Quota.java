package org.sallyport.web.stream;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts what is taken by name. Thread-safe. */
final class Quota {
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    /** Takes one if fewer than {@code most} are taken. */
    boolean take(String name, int most) {
        AtomicBoolean given = new AtomicBoolean();
        taken.compute(name, (key, before) -> {
            int count = before == null ? 0 : before;
            given.set(count < most);
            return given.get() ? Integer.valueOf(count + 1) : before;
        });
        return given.get();
    }

    void giveBack(String name) {
        taken.computeIfPresent(name, (key, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    int taken(String name) {
        return taken.getOrDefault(name, 0);
    }
}
