package org.sallyport.connector.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests the tool list of one server when the server reports a change. Coalesces changes within a short time into one
 * request, and sends one request at a time. Waits longer and longer after requests that failed, and after lists that
 * were the same as before: some servers report a change with each list. Thread-safe.
 */
final class ToolListRefresher {
    static final long COALESCE_MILLIS = 300;

    private final ReconnectBackoff failureBackoff;
    private final ReconnectBackoff unchangedBackoff;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final ToolListListener listener;
    private @Nullable Supplier<CompletionStage<McpToolList>> listRequest;
    private McpToolList current = McpToolList.EMPTY;
    /** Whether the last list was the same as the one before. */
    private boolean unchanged;
    /** Whether the tools changed since the last request was sent. */
    private boolean changed;
    /** Whether a request is in progress or scheduled, or the next one has to wait. */
    private boolean listing;

    private boolean closed;

    /** Receives the results of the requests. */
    interface ToolListListener {
        /** The current tools. */
        void onTools(McpToolList tools);

        /** The request failed; it is repeated later. */
        void onListingFailed(Throwable why);
    }

    /**
     * @param failureBackoff pauses after requests that failed
     * @param unchangedBackoff pauses after lists that were the same as before
     * @param executor runs tasks that block on the database
     */
    ToolListRefresher(
            ReconnectBackoff failureBackoff,
            ReconnectBackoff unchangedBackoff,
            ScheduledExecutorService scheduler,
            Executor executor,
            ToolListListener ear) {
        this.failureBackoff = failureBackoff;
        this.unchangedBackoff = unchangedBackoff;
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
    synchronized void start(McpToolList initial, Supplier<CompletionStage<McpToolList>> asked) {
        current = initial;
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
        Supplier<CompletionStage<McpToolList>> asked;
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

    private void deliver(McpToolList tools) {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        listener.onTools(tools);
        synchronized (this) {
            unchanged = tools.equals(current);
            current = tools;
        }
    }

    private void onAnswered(@Nullable Throwable failure) {
        long pause;
        synchronized (this) {
            if (closed) {
                return;
            }
            if (failure != null) {
                changed = true;
                pause = failureBackoff.nextDelayMillis();
            } else {
                failureBackoff.reset();
                pause = pauseAfterList();
            }
        }
        if (failure != null) {
            listener.onListingFailed(failure);
        }
        scheduler.schedule(this::endPause, pause, TimeUnit.MILLISECONDS);
    }

    private long pauseAfterList() {
        if (unchanged) {
            return unchangedBackoff.nextDelayMillis();
        }
        unchangedBackoff.reset();
        return COALESCE_MILLIS;
    }

    private synchronized void endPause() {
        listing = false;
        scheduleListing(0);
    }
}
