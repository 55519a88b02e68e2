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
 * Requests the tool list of one server when the server reports a change. Coalesces changes within a short time into one
 * request, sends one request at a time, and repeats failed requests with backoff. Thread-safe.
 */
final class ToolListRefresher {
    private static final long COALESCE_MILLIS = 300;

    private final ReconnectBackoff backoff;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final ToolListListener listener;
    private @Nullable Supplier<CompletionStage<List<ToolDefinition>>> listRequest;
    /** Whether the tools changed since the last request was sent. */
    private boolean changed;
    /** Whether a request is in progress or scheduled. */
    private boolean listing;

    private boolean closed;

    /** Receives the results of the requests. */
    interface ToolListListener {
        /** The current tools. */
        void onTools(List<ToolDefinition> tools);

        /** The request failed; it is repeated later. */
        void onListingFailed(Throwable why);
    }

    /** @param executor runs tasks that block on the database */
    ToolListRefresher(
            ReconnectBackoff backoff, ScheduledExecutorService scheduler, Executor executor, ToolListListener ear) {
        this.backoff = backoff;
        this.scheduler = scheduler;
        this.executor = executor;
        this.listener = ear;
    }

    /** Records that the tools may have changed. Before {@link #start} the change is only recorded. */
    synchronized void markChanged() {
        changed = true;
        scheduleListing(COALESCE_MILLIS);
    }

    /** Enables requests after the initial tool list is known. Changes reported in the meantime are requested now. */
    synchronized void start(Supplier<CompletionStage<List<ToolDefinition>>> asked) {
        listRequest = asked;
        scheduleListing(COALESCE_MILLIS);
    }

    /** Stops all requests. */
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
