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
 * Waits for executions to end without holding a thread; thread-safe. This node's endings wake; other nodes' are looked up now and
 * then, all that are waited for by one thread and few questions to the store, however many wait.
 */
public final class Waiting {
    private static final long LOOK_MILLIS = 500;
    private static final int AT_ONCE = 200;

    private final ExecutionStore store;
    private final Completions completions;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Map<ExecutionId, Set<Runnable>> elsewhere = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();

    public Waiting(
            ExecutionStore store, Completions completions, ScheduledExecutorService scheduler, Executor executor) {
        this.store = store;
        this.completions = completions;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /** Completes on a thread that may block, when {@code id} has ended or {@code millis} have passed, whichever is first. */
    public CompletionStage<Void> until(ExecutionId id, long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable wake = () -> done.complete(null);
        Runnable forget = completions.await(id, wake);
        ScheduledFuture<?> timeout = scheduler.schedule(wake, millis, TimeUnit.MILLISECONDS);
        elsewhere.compute(id, (key, set) -> {
            Set<Runnable> wakeUps = set == null ? ConcurrentHashMap.newKeySet() : set;
            wakeUps.add(wake);
            return wakeUps;
        });
        lookSoon();
        return done.whenCompleteAsync(
                (nothing, failure) -> {
                    forget.run();
                    timeout.cancel(false);
                    elsewhere.computeIfPresent(id, (key, set) -> {
                        set.remove(wake);
                        return set.isEmpty() ? null : set;
                    });
                },
                executor);
    }

    /** Completes on a thread that may block, when {@code id} has ended on this node or {@code millis} have passed. */
    public CompletionStage<Void> endOr(ExecutionId id, long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable wake = () -> done.complete(null);
        Runnable forget = completions.await(id, wake);
        ScheduledFuture<?> timeout = scheduler.schedule(wake, millis, TimeUnit.MILLISECONDS);
        return done.whenCompleteAsync(
                (nothing, failure) -> {
                    forget.run();
                    timeout.cancel(false);
                },
                executor);
    }

    /** Completes on a thread that may block, when {@code millis} have passed. */
    public CompletionStage<Void> pause(long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (millis <= 0) {
            executor.execute(() -> done.complete(null));
        } else {
            scheduler.schedule(() -> executor.execute(() -> done.complete(null)), millis, TimeUnit.MILLISECONDS);
        }
        return done;
    }

    /** Threads that may block, shared with those who run scripts. */
    public Executor threads() {
        return executor;
    }

    private void lookSoon() {
        if (!elsewhere.isEmpty() && looking.compareAndSet(false, true)) {
            scheduler.schedule(() -> executor.execute(this::look), LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        try {
            List<ExecutionId> ids = List.copyOf(elsewhere.keySet());
            for (int from = 0; from < ids.size(); from += AT_ONCE) {
                ended(ids.subList(from, Math.min(ids.size(), from + AT_ONCE))).forEach(this::wake);
            }
        } finally {
            looking.set(false);
            lookSoon();
        }
    }

    private Collection<ExecutionId> ended(List<ExecutionId> ids) {
        try {
            Set<ExecutionId> ended = new HashSet<>(ids);
            store.live(ids).forEach(ended::remove);
            return ended;
        } catch (StoreUnavailableException e) {
            return ids; // whoever waits will hear it from the store itself
        }
    }

    private void wake(ExecutionId id) {
        Set<Runnable> waiting = elsewhere.get(id);
        if (waiting != null) {
            new ArrayList<>(waiting).forEach(Runnable::run);
        }
    }
}
