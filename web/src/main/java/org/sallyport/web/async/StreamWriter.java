package org.sallyport.web.async;

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
 * Writes a stream to an HTTP client without blocking a thread. Pulls the next chunk only after the client has taken the
 * previous one, and closes the stream of a client that takes no bytes for 60 seconds. One of three drives it, never two
 * at a time: a pump task, the container's callback when it can write again, or the delay after which the source is
 * polled again.
 */
final class StreamWriter implements WriteListener {
    private static final long MIN_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 1_000;
    private static final long KEEP_ALIVE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long STALL_TIMEOUT_MILLIS = 60_000;
    /** After so many bytes a task yields, so that other streams can send in between. */
    private static final int MAX_BYTES_PER_TASK = 64 << 10;

    private static final int CHUNK_BYTES = 64 << 10;
    /**
     * Bytes that the container queues for a connection before it reports that it cannot write; set in
     * {@code preboot.txt}.
     */
    private static final long CONTAINER_QUEUE_BYTES = 256 << 10;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    private static final long NOT_STALLED = 0;
    /** A revoked key or token must stop working within five seconds, in every place that remembers it. */
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
    /**
     * Registered with {@link UnreadBytes}, which calls it on the thread of another stream. It submits a task, because
     * only a task of this stream may end it then.
     */
    private final Runnable evictTask = () -> submit(this::evict);

    private final AtomicBoolean finished = new AtomicBoolean();
    /** Bytes that were pulled from the source and are not written yet. */
    private volatile ByteBuffer unwritten = EMPTY;

    private boolean lastChunk;
    /** Since when the client has taken no bytes, by {@link System#nanoTime}. */
    private long stalledSince = NOT_STALLED;

    private boolean stallCheckScheduled;
    private long pauseMillis = MIN_PAUSE_MILLIS;
    private long lastWriteAt = System.nanoTime();
    private long authorizedAt = System.nanoTime();
    private boolean unflushed = true;

    /**
     * @param turns runs the tasks that poll the source and write its bytes
     * @param entitled whether the client may still read the stream
     * @param backlog counts the bytes that are held for stalled clients
     * @param release called once when the stream ends, for any reason
     * @param onDisconnect called once after {@code release}, if the client disconnected
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
            Runnable onDisconnect) {
        this.source = feed;
        this.context = context;
        this.out = out;
        this.waiter = waiting;
        this.executor = turns;
        this.authorization = entitled;
        this.unreadBytes = backlog;
        this.onFinished = release;
        this.onDisconnect = onDisconnect;
    }

    @Override
    public void onWritePossible() {
        // Submitted to the executor: the container has few threads, and the source reads the store.
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
            // The client reconnects and continues at its last position.
            System.getLogger(StreamWriter.class.getName())
                    .log(Level.DEBUG, "a stream ends; its client can reconnect: {0}", e.getMessage());
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

    /** Pulls the next chunk; returns whether the pump has more to do now. */
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

    /** Flushes, sends a keep-alive or schedules the next poll. Returns whether the pump has more to do now. */
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

    /**
     * Returns whether the container can write now. If not, the container calls as soon as it can; a client that stays
     * stalled for too long is dropped.
     */
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
            // The stream ended concurrently, and no other code would remove it from the count.
            unwritten = EMPTY;
            unreadBytes.clientResumed(evictTask);
        }
        return false;
    }

    /**
     * Ends the stream of this client. Called when stalled clients hold too many bytes and this client has been stalled
     * for the longest time.
     */
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

    /** Ends the stream. Further calls have no effect. */
    void close() {
        end();
    }

    /** Ends the stream because the client has disconnected. */
    void clientDisconnected() {
        if (end()) {
            // Submitted to the executor, because this may be a thread of the container.
            submit(onDisconnect);
        }
    }

    /** Ends the stream; returns whether this call ended it. */
    private boolean end() {
        boolean first = finished.compareAndSet(false, true);
        if (first) {
            unwritten = EMPTY;
            unreadBytes.clientResumed(evictTask);
            onFinished.run();
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has already ended the request and may have recycled its objects.
                System.getLogger(StreamWriter.class.getName())
                        .log(Level.DEBUG, "the client has disconnected; the stream is dropped", e);
            }
        }
        return first;
    }

    @Override
    public void onError(Throwable failure) {
        clientDisconnected();
    }
}
