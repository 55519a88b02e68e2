package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * One whole answer on its way to a client who may read it slowly: a piece whenever he has taken the one before, and no thread in
 * between. Thread-safe.
 */
final class Delivery implements WriteListener {
    private static final int PIECE = 64 << 10;

    private final AsyncContext context;
    private final ServletOutputStream out;
    private final LongSupplier nanos;
    private final LongConsumer gone;
    private final Runnable release;
    private final long begun;
    private final AtomicBoolean over = new AtomicBoolean();
    private byte[] bytes;
    private int sent;
    private volatile long moved;

    /**
     * @param gone told how many bytes are held no longer
     * @param release called once when it is over, however it ends
     */
    Delivery(
            AsyncContext context,
            ServletOutputStream out,
            byte[] bytes,
            LongSupplier nanos,
            LongConsumer gone,
            Runnable release) {
        this.context = context;
        this.out = out;
        this.bytes = bytes;
        this.nanos = nanos;
        this.gone = gone;
        this.release = release;
        this.begun = nanos.getAsLong();
        this.moved = begun;
    }

    /** When the client last took something. */
    long movedAt() {
        return moved;
    }

    long begunAt() {
        return begun;
    }

    @Override
    public void onWritePossible() {
        boolean done;
        try {
            done = write();
        } catch (IOException e) {
            done = true; // The client has gone.
        }
        if (done) {
            end();
        }
    }

    private synchronized boolean write() throws IOException {
        while (!over.get() && out.isReady()) {
            if (sent == bytes.length) {
                return true;
            }
            int length = Math.min(PIECE, bytes.length - sent);
            out.write(bytes, sent, length);
            sent += length;
            gone.accept(length);
            moved = nanos.getAsLong();
        }
        return false;
    }

    @Override
    public void onError(Throwable failure) {
        end();
    }

    /** Ends it, whole or not: what its length promised and does not come tells the client. */
    void end() {
        if (over.compareAndSet(false, true)) {
            synchronized (this) {
                gone.accept(bytes.length - sent);
                bytes = new byte[0];
                sent = 0;
            }
            release.run();
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has ended it, and may have taken apart what it was made of.
                System.getLogger(Delivery.class.getName()).log(Level.DEBUG, "nobody hears the answer", e);
            }
        }
    }
}
