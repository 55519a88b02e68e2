package org.sallyport.execution;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wakes those who wait on this node for an execution to end. A wake-up is a hint to look at the store, never the answer
 * itself; an execution that ends on another node gives none. Thread-safe.
 */
public final class Completions {
    private final Map<ExecutionId, Set<Runnable>> waiting = new ConcurrentHashMap<>();

    /**
     * Calls {@code wakeUp} once {@code id} has ended here, on the thread that ended it: it must not block.
     *
     * @return stops waiting; must be called in the end
     */
    public Runnable await(ExecutionId id, Runnable wakeUp) {
        waiting.compute(id, (key, set) -> {
            Set<Runnable> wakeUps = set == null ? ConcurrentHashMap.newKeySet() : set;
            wakeUps.add(wakeUp);
            return wakeUps;
        });
        return () -> waiting.computeIfPresent(id, (key, set) -> {
            set.remove(wakeUp);
            return set.isEmpty() ? null : set;
        });
    }

    /** Tells everyone who waits that {@code id} has ended. */
    public void ended(ExecutionId id) {
        Set<Runnable> set = waiting.remove(id);
        if (set != null) {
            set.forEach(Runnable::run);
        }
    }
}
