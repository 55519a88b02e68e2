package org.sallyport.connector.mcp;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A process and what it has started. A wrapper that ends leaves its children without a trace of whose they were: so they are
 * noted while it lives. Thread-safe.
 */
final class McpServerProcessTree {
    private final Process root;
    private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

    McpServerProcessTree(Process head) {
        this.root = head;
    }

    Process root() {
        return root;
    }

    /** Notes what there is now. */
    void recordDescendants() {
        descendants.removeIf(handle -> !handle.isAlive());
        root.descendants().forEach(descendants::add);
        descendants.forEach(handle -> handle.descendants().forEach(descendants::add));
    }

    /** Ends all of them, at once. */
    void killAll() {
        recordDescendants();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }
}
