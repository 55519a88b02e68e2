package org.sallyport.connector.external;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The processes that registered for one backend and were heard of lately. Thread-safe. */
final class Instances {
    private static final int MOST = 64;

    private final long patienceNanos;
    private final LongSupplier nanoTime;
    private final Map<String, Known> known = new HashMap<>();

    private record Known(String revision, long heard) {}

    Instances(Duration patience, LongSupplier nanoTime) {
        this.patienceNanos = patience.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Notes a registration; false when there are too many already. */
    synchronized boolean registered(String instance, String revision) {
        forget();
        if (!known.containsKey(instance) && known.size() >= MOST) {
            return false;
        }
        known.put(instance, new Known(revision, nanoTime.getAsLong()));
        return true;
    }

    /** Notes a sign of life; false when who gives it has to register. */
    synchronized boolean alive(String instance, String revision) {
        Known before = known.get(instance);
        if (before == null || !before.revision().equals(revision)) {
            return false;
        }
        known.put(instance, new Known(revision, nanoTime.getAsLong()));
        return true;
    }

    synchronized void left(String instance) {
        known.remove(instance);
    }

    /** Whether there is one that was heard of lately. */
    synchronized boolean any() {
        forget();
        return !known.isEmpty();
    }

    private void forget() {
        long now = nanoTime.getAsLong();
        known.values().removeIf(one -> now - one.heard() > patienceNanos);
    }
}
