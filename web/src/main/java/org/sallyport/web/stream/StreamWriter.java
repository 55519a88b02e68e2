package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Writes a feed to a client who may read as slowly as he likes, for a while: no thread waits for him, and nothing is asked of
 * the feed before he has taken what came before. Whoever drives it is one of three, never two at a time: a turn that pumps, the
 * container once it can write again, or the pause after which the feed is asked again.
 */
final class StreamWriter implements WriteListener {
    private static final long MIN_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 1_000;
    private static final long KEEP_ALIVE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long STALL_TIMEOUT_MILLIS = 60_000;
    /** Who has much to send lets others send in between. */
    private static final int MAX_BYTES_PER_TASK = 64 << 10;

    private static final int CHUNK_BYTES = 64 << 10;
    /** What the container queues of a connection before it says that it can take no more, by {@code preboot.txt}. */
    private static final long CONTAINER_QUEUE_BYTES = 256 << 10;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    private static final long NOT_STALLED = 0;
    /** No key or token that was taken away is of use for longer than five seconds, wherever it is remembered. */
    private static final long REAUTHORIZE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final StreamSource source;
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final CompletionWaiter waiter;
    private final Executor executor;
    private final BooleanSupplier authorization;
    private final UnreadBytes unreadBytes;
    private final Runnable onFinished;
    private final Runnable onDisconnect;
    /** Known to the backlog, which speaks on the thread of another stream: only a turn of its own may end this one. */
    private final Runnable evictTask = () -> submit(this::evict);

    private final AtomicBoolean finished = new AtomicBoolean();
    /** What was asked of the feed and not written yet. */
    private volatile ByteBuffer unwritten = EMPTY;

    private boolean lastChunk;
    /** Since when the client takes nothing, by {@link System#nanoTime}. */
    private long stalledSince = NOT_STALLED;

    private boolean stallCheckScheduled;
    private long pauseMillis = MIN_PAUSE_MILLIS;
    private long lastWriteAt = System.nanoTime();
    private long authorizedAt = System.nanoTime();
    private boolean unflushed = true;

    /**
     * @param turns where the feed is asked and what it has is written
     * @param entitled whether the client may still hear it
     * @param backlog counts what lies here for clients who take nothing
     * @param release called once when it is over, however it ends
     * @param gone called once after that when it was the client who ended it
     */
    StreamWriter(
            StreamSource feed,
            AsyncContext context,
            ServletOutputStream out,
            CompletionWaiter waiting,
            Executor turns,
            BooleanSupplier entitled,
            UnreadBytes backlog,
            Runnable release,
            Runnable gone) {
        this.source = feed;
        this.context = context;
        this.out = out;
        this.waiter = waiting;
        this.executor = turns;
        this.authorization = entitled;
        this.unreadBytes = backlog;
        this.onFinished = release;
        this.onDisconnect = gone;
    }

    @Override
    public void onWritePossible() {
        // Not here: the container's threads are few, and the feed asks the store.
        submit(this::pump);
    }

    private void submit(Runnable task) {
        executor.execute(task);
    }

    private synchronized void pump() {
        unreadBytes.clientResumed(evictTask);
        stalledSince = NOT_STALLED;
        try {
            int sent = 0;
            while (!finished.get() && isWritable()) {
                if (sent >= MAX_BYTES_PER_TASK) {
                    executor.execute(this::pump);
                    return;
                } else if (!isAuthorized()) {
                    close();
                    return;
                }
                if (unwritten.hasRemaining()) {
                    sent += writeSlice();
                } else if (!fetchNext()) {
                    return;
                }
                if (lastChunk && !unwritten.hasRemaining()) {
                    close();
                    return;
                }
            }
        } catch (IOException e) {
            clientDisconnected();
        } catch (StoreUnavailableException e) {
            // The client comes back and goes on where he was.
            System.getLogger(StreamWriter.class.getName()).log(Level.DEBUG, "a stream ends: {0}", e.getMessage());
            close();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            System.getLogger(StreamWriter.class.getName()).log(Level.ERROR, "a stream failed", e);
            close();
        }
    }

    private int writeSlice() throws IOException {
        ByteBuffer now = unwritten;
        byte[] slice = new byte[Math.min(CHUNK_BYTES, now.remaining())];
        now.get(slice);
        write(slice);
        return slice.length;
    }

    /** Whether there is something to do now. */
    private boolean fetchNext() throws IOException {
        StreamSource.StreamChunk piece = source.next();
        lastChunk = piece.last();
        unwritten = ByteBuffer.wrap(piece.bytes());
        if (unwritten.hasRemaining()) {
            pauseMillis = MIN_PAUSE_MILLIS;
            return true;
        }
        return lastChunk || !finished.get() && flushOrWait();
    }

    private boolean isAuthorized() {
        long now = System.nanoTime();
        if (now - authorizedAt < REAUTHORIZE_NANOS) {
            return true;
        }
        authorizedAt = now;
        return authorization.getAsBoolean();
    }

    /** Whether there is something to do now that the feed has nothing. */
    private boolean flushOrWait() throws IOException {
        if (unflushed) {
            if (isWritable()) {
                unflushed = false;
                out.flush();
                return true;
            }
            return false;
        }
        byte[] keepAlive = source.keepAlive();
        if (keepAlive.length > 0 && System.nanoTime() - lastWriteAt > KEEP_ALIVE_INTERVAL_NANOS) {
            write(keepAlive);
            return true;
        }
        source.awaitNext(pauseMillis).thenRunAsync(this::pump, executor);
        pauseMillis = Math.min(MAX_PAUSE_MILLIS, pauseMillis * 3 / 2);
        return false;
    }

    /** When not, the container calls as soon as it is; a client who takes nothing for long is let go. */
    private boolean isWritable() {
        if (out.isReady()) {
            return true;
        }
        stalledSince = System.nanoTime();
        if (!stallCheckScheduled) {
            stallCheckScheduled = true;
            waiter.delay(STALL_TIMEOUT_MILLIS).thenRun(this::closeIfStalled);
        }
        unreadBytes.clientStalled(evictTask, CONTAINER_QUEUE_BYTES + unwritten.remaining());
        if (finished.get()) {
            // Ended in between: nobody else would take it from there.
            unwritten = EMPTY;
            unreadBytes.clientResumed(evictTask);
        }
        return false;
    }

    /** Others leave too much lying here, too, and this client has taken nothing for longest. */
    private synchronized void evict() {
        if (stalledSince != NOT_STALLED) {
            close();
        }
    }

    private synchronized void closeIfStalled() {
        stallCheckScheduled = false;
        if (stalledSince == NOT_STALLED || finished.get()) {
            return;
        }
        long left = STALL_TIMEOUT_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - stalledSince);
        if (left <= 0) {
            close();
        } else {
            stallCheckScheduled = true;
            waiter.delay(left).thenRun(this::closeIfStalled);
        }
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        lastWriteAt = System.nanoTime();
        unflushed = true;
    }

    /** Ends it, whoever wants it ended. */
    void close() {
        end();
    }

    /** The client has gone. */
    void clientDisconnected() {
        if (end()) {
            // Not here: it may be the container's thread.
            submit(onDisconnect);
        }
    }

    /** Whether it is this that ends it. */
    private boolean end() {
        boolean first = finished.compareAndSet(false, true);
        if (first) {
            unwritten = EMPTY;
            unreadBytes.clientResumed(evictTask);
            onFinished.run();
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has ended it, and may have taken apart what it was made of.
                System.getLogger(StreamWriter.class.getName()).log(Level.DEBUG, "nobody hears the stream", e);
            }
        }
        return first;
    }

    @Override
    public void onError(Throwable failure) {
        clientDisconnected();
    }
}
