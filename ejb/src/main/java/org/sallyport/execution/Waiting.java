package org.sallyport.execution;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Waits for executions to end without holding a thread; thread-safe. This node's endings wake, other nodes' are looked up now and then. */
public final class Waiting {
    private static final long LOOK_MILLIS = 500;

    private final ExecutionStore store;
    private final Completions completions;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;

    public Waiting(
            ExecutionStore store, Completions completions, ScheduledExecutorService scheduler, Executor executor) {
        this.store = store;
        this.completions = completions;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /** Completes on a thread that may block, when {@code id} has ended or {@code millis} have passed, whichever is first. */
    public CompletionStage<Void> until(String tenant, ExecutionId id, long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable wake = () -> done.complete(null);
        Runnable forget = completions.await(id, wake);
        ScheduledFuture<?> timeout = scheduler.schedule(wake, millis, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> look = scheduler.scheduleWithFixedDelay(
                () -> executor.execute(() -> look(tenant, id, wake)), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return done.whenCompleteAsync(
                (nothing, failure) -> {
                    forget.run();
                    timeout.cancel(false);
                    look.cancel(false);
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

    private void look(String tenant, ExecutionId id, Runnable wake) {
        try {
            if (store.find(tenant, id)
                    .map(Execution::state)
                    .map(state -> state.terminal())
                    .orElse(true)) {
                wake.run();
            }
        } catch (StoreUnavailableException e) {
            wake.run(); // whoever waits will hear it from the store itself
        }
    }
}
