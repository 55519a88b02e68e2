package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import reactor.core.Disposable;

/** A request that is being answered. Thread-safe. */
final class PendingRequest {
    /** The key under which handlers find the request in the SDK's context. */
    static final String CONTEXT_KEY = "org.sallyport.call";

    private final Caller caller;
    private ObjectNode params;
    private @Nullable JsonRpcResponse response;
    private @Nullable Disposable subscription;
    private @Nullable Runnable cancelTask;
    private String address = "";
    private boolean cancelled;
    private boolean answered;
    private boolean closed;

    /** @param params the parameters as received, with all digits of their numbers */
    PendingRequest(Caller caller, ObjectNode params) {
        this.caller = caller;
        this.params = params;
    }

    Caller caller() {
        return caller;
    }

    /** The remote address of the caller. */
    synchronized String address() {
        return address;
    }

    synchronized void setAddress(String where) {
        address = where;
    }

    /** Returns the arguments of the tool that the request calls; none if it was closed. It keeps them no longer. */
    synchronized ObjectNode takeArguments() {
        ObjectNode arguments =
                params.path("arguments") instanceof ObjectNode given ? given : JsonNodeFactory.instance.objectNode();
        params = JsonNodeFactory.instance.objectNode();
        return arguments;
    }

    /** Sets the response to the request. */
    synchronized void setResponse(JsonRpcResponse way) {
        response = way;
    }

    /** Sets the subscription that handles the request; disposes of it at once if the request is already closed. */
    void setSubscription(Disposable handling) {
        boolean vain;
        synchronized (this) {
            subscription = handling;
            vain = closed;
        }
        if (vain) {
            handling.dispose();
        }
    }

    /** Whether the request was answered or the client no longer waits for an answer. */
    synchronized boolean isClosed() {
        return closed;
    }

    /** Closes the request after its answer. Later cancellations have no effect; the execution continues. */
    void complete() {
        synchronized (this) {
            answered = true;
        }
        abandon();
    }

    /** Closes the request without an answer. The execution continues, and the client may still cancel it. */
    void abandon() {
        Disposable handling;
        synchronized (this) {
            closed = true;
            params = JsonNodeFactory.instance.objectNode();
            handling = subscription;
        }
        if (handling != null) {
            handling.dispose();
        }
    }

    /** Runs {@code task} when the client cancels the request, or at once if it has. The task may block on the store. */
    void onCancel(Runnable task) {
        boolean now;
        synchronized (this) {
            cancelTask = task;
            now = cancelled;
        }
        if (now) {
            task.run();
        }
    }

    /** Cancels the request for the client; it gets no answer. */
    void cancel() {
        Runnable task;
        JsonRpcResponse way;
        synchronized (this) {
            if (cancelled || answered) {
                return;
            }
            cancelled = true;
            task = cancelTask;
            way = response;
        }
        // Closed before the task runs, so that the end of the execution is not sent as an answer.
        if (way != null) {
            way.close();
        }
        if (task != null) {
            task.run();
        }
    }

    /** Number of bytes that the client has not taken yet. */
    long unreadBytes() {
        JsonRpcResponse way;
        synchronized (this) {
            way = response;
        }
        return way == null ? 0 : way.unreadBytes();
    }
}
