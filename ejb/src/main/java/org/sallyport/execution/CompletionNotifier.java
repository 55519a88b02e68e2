package org.sallyport.execution;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Wakes those who wait on this node for an execution to end. A wake-up is a hint to look at the store, never the answer
 * itself; an execution that ends on another node gives none. Thread-safe.
 */
public final class CompletionNotifier {
    private static final int MAX_REMEMBERED = 1_000;

    private final Map<ExecutionId, Set<Runnable>> waiters = new ConcurrentHashMap<>();

    private volatile Consumer<ExecutionId> globalListener = id -> {};

    /** The last that have ended, oldest first: a short script may be over before anyone begins to wait for it. */
    private final Set<ExecutionId> recent = new LinkedHashSet<>();

    /**
     * Calls {@code wakeUp} once {@code id} has ended here, on the thread that ended it or, if that was a moment ago, on this one:
     * it must not block.
     *
     * @return stops waiting; must be called in the end
     */
    public Runnable subscribe(ExecutionId id, Runnable wakeUp) {
        waiters.compute(id, (key, set) -> {
            Set<Runnable> wakeUps = set == null ? ConcurrentHashMap.newKeySet() : set;
            wakeUps.add(wakeUp);
            return wakeUps;
        });
        // Only now, so that an end between the two is seen by the one or the other.
        if (hasEndedRecently(id)) {
            wakeUp.run();
        }
        return () -> waiters.computeIfPresent(id, (key, set) -> {
            set.remove(wakeUp);
            return set.isEmpty() ? null : set;
        });
    }

    /** Has {@code listener} told of all that ends here, on the thread that ended it: it must not block. At most one, set at the start. */
    public void addListener(Consumer<ExecutionId> listener) {
        globalListener = listener;
    }

    /** Tells everyone who waits that {@code id} has ended. */
    public void notifyEnded(ExecutionId id) {
        remember(id);
        globalListener.accept(id);
        Set<Runnable> set = waiters.remove(id);
        if (set != null) {
            set.forEach(Runnable::run);
        }
    }

    private boolean hasEndedRecently(ExecutionId id) {
        synchronized (recent) {
            return recent.contains(id);
        }
    }

    private void remember(ExecutionId id) {
        synchronized (recent) {
            recent.add(id);
            if (recent.size() > MAX_REMEMBERED) {
                var oldest = recent.iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }
}
