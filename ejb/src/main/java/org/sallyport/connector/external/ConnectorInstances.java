package org.sallyport.connector.external;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The processes that registered for one backend and were heard of lately. Thread-safe. */
final class ConnectorInstances {
    private static final int MAX_INSTANCES = 64;

    private final long timeoutNanos;
    private final LongSupplier nanoTime;
    private final Map<String, KnownInstance> instances = new HashMap<>();

    private record KnownInstance(String revision, long lastHeardNanos) {}

    ConnectorInstances(Duration patience, LongSupplier nanoTime) {
        this.timeoutNanos = patience.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Notes a registration; false when there are too many already. */
    synchronized boolean register(String instance, String revision) {
        removeExpired();
        if (!instances.containsKey(instance) && instances.size() >= MAX_INSTANCES) {
            return false;
        }
        instances.put(instance, new KnownInstance(revision, nanoTime.getAsLong()));
        return true;
    }

    /** Notes a sign of life; false when who gives it has to register. */
    synchronized boolean heartbeat(String instance, String revision) {
        KnownInstance before = instances.get(instance);
        if (before == null || !before.revision().equals(revision)) {
            return false;
        }
        instances.put(instance, new KnownInstance(revision, nanoTime.getAsLong()));
        return true;
    }

    synchronized void remove(String instance) {
        instances.remove(instance);
    }

    /** Whether there is one that was heard of lately. */
    synchronized boolean hasLiveInstance() {
        removeExpired();
        return !instances.isEmpty();
    }

    private void removeExpired() {
        long now = nanoTime.getAsLong();
        instances.values().removeIf(one -> now - one.lastHeardNanos() > timeoutNanos);
    }
}
