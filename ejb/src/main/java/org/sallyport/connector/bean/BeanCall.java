package org.sallyport.connector.bean;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.ToolContext;
import org.sallyport.connector.BackendConnection;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** One call of a method: the context that the method sees, and the result that the caller waits for. Thread-safe. */
final class BeanCall implements ToolContext {
    private final BackendConnection.BackendRequest call;
    private final CompletableFuture<ToolResult> result = new CompletableFuture<>();
    private final List<Runnable> onCancel = new ArrayList<>();
    private @Nullable Thread thread;
    private @Nullable ToolResult outcome;
    private boolean started;
    private boolean cancelled;
    private volatile @Nullable String progress;

    BeanCall(BackendConnection.BackendRequest call) {
        this.call = call;
    }

    BackendConnection.BackendRequest call() {
        return call;
    }

    CompletableFuture<ToolResult> result() {
        return result;
    }

    /** Binds the calling thread to the call; false if the call has already ended. */
    synchronized boolean attachThread() {
        if (outcome != null) {
            return false;
        }
        started = true;
        thread = Thread.currentThread();
        return true;
    }

    /** Whether the method was called. It is not called after the call has ended. */
    synchronized boolean isStarted() {
        return started;
    }

    /** Releases the thread and clears its interrupt flag. */
    synchronized void detachThread() {
        thread = null;
        Thread.interrupted();
    }

    /**
     * Ends the call as cancelled. Returns false if it has already ended; otherwise the caller must call {@link #stop}.
     */
    boolean cancel() {
        return setOutcome(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
    }

    /**
     * Ends the call because its backend is closed. Returns false if it has already ended; otherwise the caller must
     * call {@link #stop}.
     */
    synchronized boolean failOnClose() {
        String lost = "the backend was closed ";
        if (!started) {
            return setOutcome(ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE, lost + "before '" + call.tool() + "' was called"));
        }
        lost += "while '" + call.tool() + "' was called";
        return setOutcome(
                call.repeatable()
                        ? ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, lost)
                        : ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, lost + "; it may have had its effect"));
    }

    private synchronized boolean setOutcome(ToolResult with) {
        if (outcome != null || result.isDone()) {
            return false;
        }
        outcome = with;
        return true;
    }

    /** Publishes the outcome that was set, if any. */
    void completeResult() {
        ToolResult answer;
        synchronized (this) {
            answer = outcome;
        }
        if (answer != null) {
            result.complete(answer);
        }
    }

    /**
     * Stops the method. The result is published first, so that a method that notices the stop cannot set another one.
     */
    void stop() {
        completeResult();
        List<Runnable> actions;
        synchronized (this) {
            cancelled = true;
            actions = List.copyOf(onCancel);
            if (thread != null) {
                thread.interrupt();
            }
        }
        actions.forEach(this::runCancelAction);
    }

    /** Runs an action; an exception must not prevent the other actions. */
    private void runCancelAction(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            System.getLogger(BeanCall.class.getName())
                    .log(System.Logger.Level.WARNING, "a completion action of call " + call.id() + " failed", e);
        }
    }

    @Override
    public String callId() {
        return call.id().toString();
    }

    @Override
    public String tenant() {
        return call.tenant();
    }

    @Override
    public Instant deadline() {
        return call.deadline();
    }

    @Override
    public synchronized boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void onCancel(Runnable action) {
        synchronized (this) {
            if (!cancelled) {
                onCancel.add(action);
                return;
            }
        }
        runCancelAction(action);
    }

    @Override
    public void progress(String message) {
        progress = message;
    }

    Optional<String> progress() {
        return Optional.ofNullable(progress);
    }
}
