package org.sallyport.web.async;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Writes one complete response body to an HTTP client that may read slowly. Writes the next chunk when the client has
 * taken the previous one; no thread blocks in between. Thread-safe.
 */
final class AsyncBodyWriter implements WriteListener {
    private static final int CHUNK_BYTES = 64 << 10;

    private final AsyncContext context;
    private final ServletOutputStream out;
    private final LongSupplier nanos;
    private final LongConsumer onBytesReleased;
    private final Runnable onFinished;
    private final long startedAt;
    private final AtomicBoolean finished = new AtomicBoolean();
    private byte[] bytes;
    private int sent;
    private volatile long progressedAt;

    /**
     * @param onBytesReleased receives the number of bytes that are no longer held in memory
     * @param release called once when the response ends, for any reason
     */
    AsyncBodyWriter(
            AsyncContext context,
            ServletOutputStream out,
            byte[] bytes,
            LongSupplier nanos,
            LongConsumer onBytesReleased,
            Runnable release) {
        this.context = context;
        this.out = out;
        this.bytes = bytes;
        this.nanos = nanos;
        this.onBytesReleased = onBytesReleased;
        this.onFinished = release;
        this.startedAt = nanos.getAsLong();
        this.progressedAt = startedAt;
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
            if (sent == bytes.length) {
                return true;
            }
            int length = Math.min(CHUNK_BYTES, bytes.length - sent);
            out.write(bytes, sent, length);
            sent += length;
            onBytesReleased.accept(length);
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
            synchronized (this) {
                onBytesReleased.accept(bytes.length - sent);
                bytes = new byte[0];
                sent = 0;
            }
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
