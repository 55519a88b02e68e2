package org.sallyport.connector.mcp;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.ToolDefinition;

/**
 * Asks one server for its tools whenever it says that they are others. Several changes in a short time are one question, one is
 * asked at a time, and one that was not answered is asked again after a longer pause each time. Thread-safe.
 */
final class ToolListRefresher {
    private static final long COALESCE_MILLIS = 300;

    private final ReconnectBackoff backoff;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final ToolListListener listener;
    private @Nullable Supplier<CompletionStage<List<ToolDefinition>>> listRequest;
    /** Whether they changed since they were asked for last. */
    private boolean changed;
    /** Whether a question is under way, or will be. */
    private boolean listing;

    private boolean closed;

    /** Hears what became of the questions. */
    interface ToolListListener {
        /** The tools as they are now. */
        void onTools(List<ToolDefinition> tools);

        /** The server did not say them; it is asked again. */
        void onListingFailed(Throwable why);
    }

    /** @param executor runs what waits for the database */
    ToolListRefresher(
            ReconnectBackoff backoff, ScheduledExecutorService scheduler, Executor executor, ToolListListener ear) {
        this.backoff = backoff;
        this.scheduler = scheduler;
        this.executor = executor;
        this.listener = ear;
    }

    /** The tools may be others; before {@link #start} that is remembered. */
    synchronized void markChanged() {
        changed = true;
        scheduleListing(COALESCE_MILLIS);
    }

    /** The tools that the server said at its start are known: what changed meanwhile is asked for now. */
    synchronized void start(Supplier<CompletionStage<List<ToolDefinition>>> asked) {
        listRequest = asked;
        scheduleListing(COALESCE_MILLIS);
    }

    /** The server is not asked any more. */
    synchronized void close() {
        closed = true;
    }

    private synchronized void scheduleListing(long millis) {
        if (changed && listRequest != null && !listing && !closed) {
            listing = true;
            scheduler.schedule(this::requestList, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void requestList() {
        Supplier<CompletionStage<List<ToolDefinition>>> asked;
        synchronized (this) {
            asked = listRequest;
            if (asked == null || closed) {
                return;
            }
            changed = false;
        }
        CompletableFuture.supplyAsync(asked, executor)
                .thenCompose(said -> said)
                .thenAcceptAsync(this::deliver, executor)
                .whenComplete((done, failure) -> onAnswered(failure));
    }

    private void deliver(List<ToolDefinition> tools) {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        listener.onTools(tools);
    }

    private void onAnswered(@Nullable Throwable failure) {
        long pause;
        synchronized (this) {
            listing = false;
            if (closed) {
                return;
            }
            if (failure == null) {
                backoff.reset();
                pause = COALESCE_MILLIS;
            } else {
                changed = true;
                pause = backoff.nextDelayMillis();
            }
        }
        if (failure != null) {
            listener.onListingFailed(failure);
        }
        scheduleListing(pause);
    }
}
