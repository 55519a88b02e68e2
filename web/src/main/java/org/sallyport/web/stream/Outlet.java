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
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Waiting;

/**
 * Writes a feed to a client who may read as slowly as he likes, for a while: no thread waits for him, and nothing is asked of
 * the feed before he has taken what came before. Whoever drives it is one of three, never two at a time: a turn that pumps, the
 * container once it can write again, or the pause after which the feed is asked again.
 */
final class Outlet implements WriteListener {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long STALLED_MILLIS = 60_000;
    /** Who has much to send lets others send in between. */
    private static final int TURN_BYTES = 64 << 10;

    private static final int SLICE_BYTES = 64 << 10;
    /** What the container queues of a connection before it says that it can take no more, by {@code preboot.txt}. */
    private static final long QUEUED_BYTES = 256 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final long MOVES = 0;
    /** No key or token that was taken away is of use for longer than five seconds, wherever it is remembered. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Feed feed;
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final Waiting waiting;
    private final Executor turns;
    private final BooleanSupplier entitled;
    private final Backlog backlog;
    private final Runnable release;
    private final Runnable gone;
    /** Known to the backlog, which speaks on the thread of another stream: only a turn of its own may end this one. */
    private final Runnable letGo = () -> turn(this::letGo);

    private final AtomicBoolean over = new AtomicBoolean();
    /** What was asked of the feed and not written yet. */
    private volatile ByteBuffer rest = NOTHING;

    private boolean last;
    /** Since when the client takes nothing, by {@link System#nanoTime}. */
    private long standsSince = MOVES;

    private boolean watched;
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private long written = System.nanoTime();
    private long trustedAt = System.nanoTime();
    private boolean unsent = true;

    /**
     * @param turns where the feed is asked and what it has is written
     * @param entitled whether the client may still hear it
     * @param backlog counts what lies here for clients who take nothing
     * @param release called once when it is over, however it ends
     * @param gone called once after that when it was the client who ended it
     */
    Outlet(
            Feed feed,
            AsyncContext context,
            ServletOutputStream out,
            Waiting waiting,
            Executor turns,
            BooleanSupplier entitled,
            Backlog backlog,
            Runnable release,
            Runnable gone) {
        this.feed = feed;
        this.context = context;
        this.out = out;
        this.waiting = waiting;
        this.turns = turns;
        this.entitled = entitled;
        this.backlog = backlog;
        this.release = release;
        this.gone = gone;
    }

    @Override
    public void onWritePossible() {
        // Not here: the container's threads are few, and the feed asks the store.
        turn(this::pump);
    }

    private void turn(Runnable task) {
        turns.execute(task);
    }

    private synchronized void pump() {
        backlog.moves(letGo);
        standsSince = MOVES;
        try {
            int sent = 0;
            while (!over.get() && ready()) {
                if (sent >= TURN_BYTES) {
                    turns.execute(this::pump);
                    return;
                } else if (!isTrusted()) {
                    close();
                    return;
                }
                if (rest.hasRemaining()) {
                    sent += writeSlice();
                } else if (!ask()) {
                    return;
                }
                if (last && !rest.hasRemaining()) {
                    close();
                    return;
                }
            }
        } catch (IOException e) {
            gone();
        } catch (StoreUnavailableException e) {
            // The client comes back and goes on where he was.
            System.getLogger(Outlet.class.getName()).log(Level.DEBUG, "a stream ends: {0}", e.getMessage());
            close();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            System.getLogger(Outlet.class.getName()).log(Level.ERROR, "a stream failed", e);
            close();
        }
    }

    private int writeSlice() throws IOException {
        ByteBuffer now = rest;
        byte[] slice = new byte[Math.min(SLICE_BYTES, now.remaining())];
        now.get(slice);
        write(slice);
        return slice.length;
    }

    /** Whether there is something to do now. */
    private boolean ask() throws IOException {
        Feed.Piece piece = feed.next();
        last = piece.last();
        rest = ByteBuffer.wrap(piece.bytes());
        if (rest.hasRemaining()) {
            pauseMillis = FIRST_PAUSE_MILLIS;
            return true;
        }
        return last || !over.get() && goesOn();
    }

    private boolean isTrusted() {
        long now = System.nanoTime();
        if (now - trustedAt < TRUSTED_NANOS) {
            return true;
        }
        trustedAt = now;
        return entitled.getAsBoolean();
    }

    /** Whether there is something to do now that the feed has nothing. */
    private boolean goesOn() throws IOException {
        if (unsent) {
            if (ready()) {
                unsent = false;
                out.flush();
                return true;
            }
            return false;
        }
        byte[] keepAlive = feed.keepAlive();
        if (keepAlive.length > 0 && System.nanoTime() - written > KEEP_ALIVE_NANOS) {
            write(keepAlive);
            return true;
        }
        feed.pause(pauseMillis).thenRunAsync(this::pump, turns);
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 3 / 2);
        return false;
    }

    /** When not, the container calls as soon as it is; a client who takes nothing for long is let go. */
    private boolean ready() {
        if (out.isReady()) {
            return true;
        }
        standsSince = System.nanoTime();
        if (!watched) {
            watched = true;
            waiting.pause(STALLED_MILLIS).thenRun(this::giveUp);
        }
        backlog.stands(letGo, QUEUED_BYTES + rest.remaining());
        if (over.get()) {
            // Ended in between: nobody else would take it from there.
            rest = NOTHING;
            backlog.moves(letGo);
        }
        return false;
    }

    /** Others leave too much lying here, too, and this client has taken nothing for longest. */
    private synchronized void letGo() {
        if (standsSince != MOVES) {
            close();
        }
    }

    private synchronized void giveUp() {
        watched = false;
        if (standsSince == MOVES || over.get()) {
            return;
        }
        long left = STALLED_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - standsSince);
        if (left <= 0) {
            close();
        } else {
            watched = true;
            waiting.pause(left).thenRun(this::giveUp);
        }
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        written = System.nanoTime();
        unsent = true;
    }

    /** Ends it, whoever wants it ended. */
    void close() {
        end();
    }

    /** The client has gone. */
    void gone() {
        if (end()) {
            // Not here: it may be the container's thread.
            turn(gone);
        }
    }

    /** Whether it is this that ends it. */
    private boolean end() {
        boolean first = over.compareAndSet(false, true);
        if (first) {
            rest = NOTHING;
            backlog.moves(letGo);
            release.run();
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has ended it, and may have taken apart what it was made of.
                System.getLogger(Outlet.class.getName()).log(Level.DEBUG, "nobody hears the stream", e);
            }
        }
        return first;
    }

    @Override
    public void onError(Throwable failure) {
        gone();
    }
}
