package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import org.jspecify.annotations.Nullable;

/**
 * The way to one client: ends the stream that it carries when the client has gone. To be made before the request goes back to the
 * container, which lets nothing listen later; the stream may begin whenever it likes. Thread-safe.
 */
public final class ClientConnection implements AsyncListener {
    private final AsyncContext context;
    private volatile @Nullable StreamWriter writer;
    private volatile boolean ended;
    private volatile boolean disconnected;

    private ClientConnection(AsyncContext context) {
        this.context = context;
    }

    /** The way to the client whose request waits. */
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
        // Only now, so that an end between the two is seen by the one or the other.
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
        // There is only one.
    }
}
