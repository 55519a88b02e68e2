package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import reactor.core.Disposable;

/** A request that is being answered. Thread-safe. */
final class OpenCall {
    /** Where handlers find it in the context of the SDK. */
    static final String KEY = "org.sallyport.call";

    private final Caller caller;
    private ObjectNode params;
    private @Nullable Reply reply;
    private @Nullable Disposable running;
    private @Nullable Runnable undo;
    private String address = "";
    private boolean cancelled;
    private boolean answered;
    private boolean over;

    /** @param params as they came, with all their digits */
    OpenCall(Caller caller, ObjectNode params) {
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

    synchronized void from(String where) {
        address = where;
    }

    synchronized ObjectNode params() {
        return params;
    }

    /** By {@code reply} it is answered. */
    synchronized void answeredBy(Reply way) {
        reply = way;
    }

    /** {@code handling} goes on until it is answered. */
    void handledBy(Disposable handling) {
        boolean vain;
        synchronized (this) {
            running = handling;
            vain = over;
        }
        if (vain) {
            handling.dispose();
        }
    }

    /** Nobody waits for an answer any more, or there was one. */
    synchronized boolean isOver() {
        return over;
    }

    /** It was answered, or is to be answered no more; what was begun goes on. */
    void end() {
        synchronized (this) {
            answered = true;
        }
        drop();
    }

    /** Nobody waits for an answer any more; what was begun goes on, and may yet be taken back. */
    void drop() {
        Disposable handling;
        synchronized (this) {
            over = true;
            params = JsonNodeFactory.instance.objectNode();
            handling = running;
        }
        if (handling != null) {
            handling.dispose();
        }
    }

    /** Has {@code task} done if the client takes the request back, at once if it has; it may wait for the store. */
    void onCancel(Runnable task) {
        boolean now;
        synchronized (this) {
            undo = task;
            now = cancelled;
        }
        if (now) {
            task.run();
        }
    }

    /** The client takes the request back: it gets no answer. */
    void cancel() {
        Runnable task;
        Reply way;
        synchronized (this) {
            if (cancelled || answered) {
                return;
            }
            cancelled = true;
            task = undo;
            way = reply;
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
    long backlog() {
        Reply way;
        synchronized (this) {
            way = reply;
        }
        return way == null ? 0 : way.backlog();
    }
}
