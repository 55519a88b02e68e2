package org.sallyport.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Waiting;

/**
 * Writes a feed to a client who may read as slowly as he likes, for a while: no thread waits for him, and nothing is asked of
 * the feed before he has taken what came before. Whoever drives it is one of three, never two at a time: a thread that pumps,
 * the container once it can write again, or the pause after which the feed is asked again.
 */
final class Outlet implements WriteListener {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long STALLED_MILLIS = 60_000;
    /** No key that was taken away is of use for longer than five seconds, wherever it is remembered. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Feed feed;
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final Waiting waiting;
    private final BooleanSupplier entitled;
    private final Runnable release;
    private final AtomicBoolean over = new AtomicBoolean();
    private long turn;
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private long written = System.nanoTime();
    private long trustedAt = System.nanoTime();
    private boolean unsent = true;

    /**
     * @param entitled whether the client may still hear it
     * @param release called once when it is over, however it ends
     */
    Outlet(
            Feed feed,
            AsyncContext context,
            ServletOutputStream out,
            Waiting waiting,
            BooleanSupplier entitled,
            Runnable release) {
        this.feed = feed;
        this.context = context;
        this.out = out;
        this.waiting = waiting;
        this.entitled = entitled;
        this.release = release;
    }

    @Override
    public void onWritePossible() {
        // Not here: the container's threads are few, and the feed asks the store.
        waiting.pause(0).thenRun(this::pump);
    }

    private synchronized void pump() {
        turn++;
        try {
            while (!over.get() && ready()) {
                if (!isTrusted()) {
                    close();
                    return;
                }
                Feed.Piece piece = feed.next();
                if (piece.bytes().length > 0) {
                    write(piece.bytes());
                    pauseMillis = FIRST_PAUSE_MILLIS;
                }
                if (piece.last()) {
                    close();
                    return;
                }
                if (piece.bytes().length == 0 && !goesOn()) {
                    return;
                }
            }
        } catch (IOException e) {
            close(); // The client has gone.
        } catch (StoreUnavailableException e) {
            // The client comes back and goes on where he was.
            System.getLogger(Outlet.class.getName()).log(Level.DEBUG, "a stream ends: {0}", e.getMessage());
            close();
        } catch (RuntimeException e) {
            System.getLogger(Outlet.class.getName()).log(Level.ERROR, "a stream failed", e);
            close();
        }
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
        feed.pause(pauseMillis).thenRun(this::pump);
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 3 / 2);
        return false;
    }

    /** When not, the container calls as soon as it is; a client who takes nothing for long is let go. */
    private boolean ready() {
        long waitsSince = turn;
        if (out.isReady()) {
            return true;
        }
        waiting.pause(STALLED_MILLIS).thenRun(() -> giveUp(waitsSince));
        return false;
    }

    private synchronized void giveUp(long waitsSince) {
        if (turn == waitsSince) {
            close();
        }
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        written = System.nanoTime();
        unsent = true;
    }

    /** Ends it, whoever wants it ended. */
    void close() {
        if (over.compareAndSet(false, true)) {
            release.run();
            try {
                context.complete();
            } catch (IllegalStateException e) {
                // The container has ended it.
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        close();
    }
}
