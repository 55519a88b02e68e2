package org.sallyport.web.async;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one client. It closes the attached stream when the client disconnects. Must be created before the
 * request returns to the container, because the container accepts no listener later; the stream may be attached at any
 * time. Thread-safe.
 */
public final class ClientConnection implements AsyncListener {
    private final AsyncContext context;
    private volatile @Nullable StreamWriter writer;
    private volatile boolean ended;
    private volatile boolean disconnected;

    private ClientConnection(AsyncContext context) {
        this.context = context;
    }

    /** The connection of the client whose asynchronous request {@code context} holds. */
    public static ClientConnection of(AsyncContext context) {
        ClientConnection line = new ClientConnection(context);
        context.addListener(line);
        return line;
    }

    AsyncContext context() {
        return context;
    }

    void attach(StreamWriter stream) {
        writer = stream;
        // Checked after the assignment: a concurrent disconnect either sees the stream or is seen here.
        if (disconnected) {
            stream.clientDisconnected();
        } else if (ended) {
            stream.close();
        }
    }

    private void end() {
        ended = true;
        StreamWriter stream = writer;
        if (stream != null) {
            stream.close();
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end();
    }

    @Override
    public void onError(AsyncEvent event) {
        disconnected = true;
        StreamWriter stream = writer;
        if (stream != null) {
            stream.clientDisconnected();
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // A request starts asynchronous processing only once.
    }
}
