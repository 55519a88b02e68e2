package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import org.jspecify.annotations.Nullable;

/**
 * The way to one client: ends the stream that it carries when the client has gone. To be made before the request goes back to the
 * container, which lets nothing listen later; the stream may begin whenever it likes. Thread-safe.
 */
public final class Line implements AsyncListener {
    private final AsyncContext context;
    private volatile @Nullable Outlet outlet;
    private volatile boolean over;
    private volatile boolean gone;

    private Line(AsyncContext context) {
        this.context = context;
    }

    /** The way to the client whose request waits. */
    public static Line of(AsyncContext context) {
        Line line = new Line(context);
        context.addListener(line);
        return line;
    }

    AsyncContext context() {
        return context;
    }

    void carries(Outlet stream) {
        outlet = stream;
        // Only now, so that an end between the two is seen by the one or the other.
        if (gone) {
            stream.gone();
        } else if (over) {
            stream.close();
        }
    }

    private void end() {
        over = true;
        Outlet stream = outlet;
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
        gone = true;
        Outlet stream = outlet;
        if (stream != null) {
            stream.gone();
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // There is only one.
    }
}
