package org.sallyport.connector.external;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The connector processes of one backend that are registered and whose last message is recent. Thread-safe. */
final class ConnectorInstances {
    private static final int MAX_INSTANCES = 64;

    private final long timeoutNanos;
    private final LongSupplier nanoTime;
    private final Map<String, KnownInstance> instances = new HashMap<>();

    private record KnownInstance(String revision, long lastHeardNanos) {}

    ConnectorInstances(Duration timeout, LongSupplier nanoTime) {
        this.timeoutNanos = timeout.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Records a registration; false if too many instances are registered. */
    synchronized boolean register(String instance, String revision) {
        removeExpired();
        if (!instances.containsKey(instance) && instances.size() >= MAX_INSTANCES) {
            return false;
        }
        instances.put(instance, new KnownInstance(revision, nanoTime.getAsLong()));
        return true;
    }

    /** Records a heartbeat; false if the instance must register first. */
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

    /** Whether at least one instance sent a message recently. */
    synchronized boolean hasLiveInstance() {
        removeExpired();
        return !instances.isEmpty();
    }

    private void removeExpired() {
        long now = nanoTime.getAsLong();
        instances.values().removeIf(one -> now - one.lastHeardNanos() > timeoutNanos);
    }
}
