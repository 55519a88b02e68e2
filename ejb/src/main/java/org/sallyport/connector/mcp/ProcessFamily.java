package org.sallyport.connector.mcp;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A process and what it has started. A wrapper that ends leaves its children without a trace of whose they were: so they are
 * noted while it lives. Thread-safe.
 */
final class ProcessFamily {
    private final Process head;
    private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

    ProcessFamily(Process head) {
        this.head = head;
    }

    Process head() {
        return head;
    }

    /** Notes what there is now. */
    void look() {
        descendants.removeIf(handle -> !handle.isAlive());
        head.descendants().forEach(descendants::add);
        descendants.forEach(handle -> handle.descendants().forEach(descendants::add));
    }

    /** Ends all of them, at once. */
    void end() {
        look();
        head.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }
}
