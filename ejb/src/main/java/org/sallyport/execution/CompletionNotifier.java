package org.sallyport.execution;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Wakes waiters when an execution ends on this node. A wake-up is a hint to read the store, never the result itself.
 * The end of an execution on another node wakes no waiter. Thread-safe.
 */
public final class CompletionNotifier {
    private static final int MAX_REMEMBERED = 1_000;

    private final Map<ExecutionId, Set<Runnable>> waiters = new ConcurrentHashMap<>();

    private volatile Consumer<ExecutionId> globalListener = id -> {};

    /** The most recently ended executions, oldest first: a short script may end before a waiter subscribes. */
    private final Set<ExecutionId> recent = new LinkedHashSet<>();

    /**
     * Calls {@code wakeUp} once {@code id} has ended here: on the thread that ended it or, if it ended recently, on the
     * calling thread. {@code wakeUp} must not block.
     *
     * @return cancels the subscription; must be called in the end
     */
    public Runnable subscribe(ExecutionId id, Runnable wakeUp) {
        waiters.compute(id, (key, set) -> {
            Set<Runnable> wakeUps = set == null ? ConcurrentHashMap.newKeySet() : set;
            wakeUps.add(wakeUp);
            return wakeUps;
        });
        // Checked after the registration, so that a concurrent end is seen by one of the two.
        if (hasEndedRecently(id)) {
            wakeUp.run();
        }
        return () -> waiters.computeIfPresent(id, (key, set) -> {
            set.remove(wakeUp);
            return set.isEmpty() ? null : set;
        });
    }

    /**
     * Sets the listener for all executions that end here. It runs on the thread that ended the execution and must not
     * block. At most one listener, set at startup.
     */
    public void addListener(Consumer<ExecutionId> listener) {
        globalListener = listener;
    }

    /** Notifies the listener and all waiters that {@code id} has ended. */
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
