package org.sallyport.web.async;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Writes one complete response body to an HTTP client that may read slowly. Writes the next chunk when the client has
 * taken the previous one; no thread blocks in between. Thread-safe.
 */
final class AsyncBodyWriter implements WriteListener {
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final ResponseBuffer body;
    private final String owner;
    private final LongSupplier nanos;
    private final Runnable onFinished;
    private final long startedAt;
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile long progressedAt;

    /**
     * @param body the bytes; their memory is free when they are sent or the response ends
     * @param release called once when the response ends, for any reason
     */
    AsyncBodyWriter(
            AsyncContext context, ServletOutputStream out, ResponseBuffer body, LongSupplier nanos, Runnable release) {
        this.context = context;
        this.out = out;
        this.body = body;
        this.owner = body.owner();
        this.nanos = nanos;
        this.onFinished = release;
        this.startedAt = nanos.getAsLong();
        this.progressedAt = startedAt;
    }

    /** Who shares the memory of the response. */
    String owner() {
        return owner;
    }

    /** When the client last took bytes, in the nanoseconds of the clock. */
    long progressedAt() {
        return progressedAt;
    }

    long startedAt() {
        return startedAt;
    }

    @Override
    public void onWritePossible() {
        boolean done;
        try {
            done = write();
        } catch (IOException e) {
            done = true; // The client has disconnected.
        }
        if (done) {
            end();
        }
    }

    private synchronized boolean write() throws IOException {
        while (!finished.get() && out.isReady()) {
            if (body.size() == 0) {
                return true;
            }
            body.moveChunkTo(out);
            progressedAt = nanos.getAsLong();
        }
        return false;
    }

    @Override
    public void onError(Throwable failure) {
        end();
    }

    /** Ends the response, complete or not. The client recognizes a truncated body by its {@code Content-Length}. */
    void end() {
        if (finished.compareAndSet(false, true)) {
            body.close();
            onFinished.run();
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has already ended the request and may have recycled its objects.
                System.getLogger(AsyncBodyWriter.class.getName())
                        .log(Level.DEBUG, "the client has disconnected; the response is dropped", e);
            }
        }
    }
}
