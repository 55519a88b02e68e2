package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import reactor.core.Disposable;

/** A request that is being answered. Thread-safe. */
final class PendingRequest {
    /** Where handlers find it in the context of the SDK. */
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

    /** @param params as they came, with all their digits */
    PendingRequest(Caller caller, ObjectNode params) {
        this.caller = caller;
        this.params = params;
    }

    Caller caller() {
        return caller;
    }

    /** Where the caller's connection comes from. */
    synchronized String address() {
        return address;
    }

    synchronized void setAddress(String where) {
        address = where;
    }

    synchronized ObjectNode params() {
        return params;
    }

    /** By {@code reply} it is answered. */
    synchronized void setResponse(JsonRpcResponse way) {
        response = way;
    }

    /** {@code handling} goes on until it is answered. */
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

    /** Nobody waits for an answer any more, or there was one. */
    synchronized boolean isClosed() {
        return closed;
    }

    /** It was answered, or is to be answered no more; what was begun goes on. */
    void complete() {
        synchronized (this) {
            answered = true;
        }
        abandon();
    }

    /** Nobody waits for an answer any more; what was begun goes on, and may yet be taken back. */
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

    /** Has {@code task} done if the client takes the request back, at once if it has; it may wait for the store. */
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

    /** The client takes the request back: it gets no answer. */
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
        // First of all, so that what ends by it is not told as an answer.
        if (way != null) {
            way.close();
        }
        if (task != null) {
            task.run();
        }
    }

    /** Bytes that the client has not taken yet. */
    long unreadBytes() {
        JsonRpcResponse way;
        synchronized (this) {
            way = response;
        }
        return way == null ? 0 : way.unreadBytes();
    }
}
