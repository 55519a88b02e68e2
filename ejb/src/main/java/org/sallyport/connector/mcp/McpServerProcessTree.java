package org.sallyport.connector.mcp;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A process and its descendants. Descendants are recorded while the process lives: when a wrapper process exits, the
 * operating system no longer shows which processes it started. Thread-safe.
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

    /** Records the current descendants. */
    void recordDescendants() {
        descendants.removeIf(handle -> !handle.isAlive());
        root.descendants().forEach(descendants::add);
        descendants.forEach(handle -> handle.descendants().forEach(descendants::add));
    }

    /** Kills all recorded processes immediately. */
    void killAll() {
        recordDescendants();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }
}
