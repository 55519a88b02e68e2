package org.sallyport.execution;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waits for executions to end without holding a thread. Executions that end on this node wake their waiters; one task
 * polls the store periodically for the others, with few queries regardless of the number of waiters. Thread-safe.
 */
public final class CompletionWaiter {
    private static final long POLL_INTERVAL_MILLIS = 500;
    private static final int BATCH_SIZE = 200;

    private final ExecutionStore store;
    private final CompletionNotifier completions;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Map<ExecutionId, Set<Runnable>> pollWaiters = new ConcurrentHashMap<>();
    private final AtomicBoolean polling = new AtomicBoolean();

    public CompletionWaiter(
            ExecutionStore store,
            CompletionNotifier completions,
            ScheduledExecutorService scheduler,
            Executor executor) {
        this.store = store;
        this.completions = completions;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /**
     * Completes on a thread that may block, when {@code id} has ended or {@code millis} have passed, the earlier of the
     * two.
     */
    public CompletionStage<Void> awaitEnd(ExecutionId id, long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable wake = () -> done.complete(null);
        Runnable forget = completions.subscribe(id, wake);
        ScheduledFuture<?> timeout = scheduler.schedule(wake, millis, TimeUnit.MILLISECONDS);
        pollWaiters.compute(id, (key, set) -> {
            Set<Runnable> wakeUps = set == null ? ConcurrentHashMap.newKeySet() : set;
            wakeUps.add(wake);
            return wakeUps;
        });
        schedulePoll();
        return done.whenCompleteAsync(
                (nothing, failure) -> {
                    forget.run();
                    timeout.cancel(false);
                    pollWaiters.computeIfPresent(id, (key, set) -> {
                        set.remove(wake);
                        return set.isEmpty() ? null : set;
                    });
                },
                executor);
    }

    /** Completes on a thread that may block, when {@code id} has ended on this node or {@code millis} have passed. */
    public CompletionStage<Void> awaitLocalEnd(ExecutionId id, long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable wake = () -> done.complete(null);
        Runnable forget = completions.subscribe(id, wake);
        ScheduledFuture<?> timeout = scheduler.schedule(wake, millis, TimeUnit.MILLISECONDS);
        return done.whenCompleteAsync(
                (nothing, failure) -> {
                    forget.run();
                    timeout.cancel(false);
                },
                executor);
    }

    /** Completes on a thread that may block, when {@code millis} have passed. */
    public CompletionStage<Void> delay(long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (millis <= 0) {
            executor.execute(() -> done.complete(null));
        } else {
            scheduler.schedule(() -> executor.execute(() -> done.complete(null)), millis, TimeUnit.MILLISECONDS);
        }
        return done;
    }

    /** Returns the executor for work that may block. */
    public Executor executor() {
        return executor;
    }

    private void schedulePoll() {
        if (!pollWaiters.isEmpty() && polling.compareAndSet(false, true)) {
            scheduler.schedule(() -> executor.execute(this::poll), POLL_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void poll() {
        try {
            List<ExecutionId> ids = List.copyOf(pollWaiters.keySet());
            for (int from = 0; from < ids.size(); from += BATCH_SIZE) {
                findEnded(ids.subList(from, Math.min(ids.size(), from + BATCH_SIZE)))
                        .forEach(this::wake);
            }
        } finally {
            polling.set(false);
            schedulePoll();
        }
    }

    private Collection<ExecutionId> findEnded(List<ExecutionId> ids) {
        try {
            Set<ExecutionId> ended = new HashSet<>(ids);
            store.retainUnfinished(ids).forEach(ended::remove);
            return ended;
        } catch (StoreUnavailableException e) {
            return ids; // The waiters read the store themselves and see that it is unavailable.
        }
    }

    private void wake(ExecutionId id) {
        Set<Runnable> waiting = pollWaiters.get(id);
        if (waiting != null) {
            new ArrayList<>(waiting).forEach(Runnable::run);
        }
    }
}
