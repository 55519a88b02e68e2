package org.sallyport.runner;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;

/**
 * A session that may still be starting while its script already calls: what is said to it is heard in the order it was said,
 * which is the order of the journal. Thread-safe; never waits.
 */
final class DeferredSession implements SandboxSession {
    // Guarded by this.
    private final Queue<Consumer<SandboxSession>> commands = new ArrayDeque<>();
    private @Nullable SandboxSession session;
    private boolean draining;

    /** It is there. */
    void attach(SandboxSession started) {
        synchronized (this) {
            session = started;
        }
        drain();
    }

    @Override
    public void resolve(long call, String result) {
        enqueue(live -> live.resolve(call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        enqueue(live -> live.reject(call, error));
    }

    @Override
    public void postpone(long call) {
        enqueue(live -> live.postpone(call));
    }

    @Override
    public void lowerParkThreshold(long millis) {
        enqueue(live -> live.lowerParkThreshold(millis));
    }

    @Override
    public void cancel() {
        enqueue(SandboxSession::cancel);
    }

    private void enqueue(Consumer<SandboxSession> word) {
        synchronized (this) {
            commands.add(word);
        }
        drain();
    }

    /** Without the lock, since a session may answer by ending: one thread speaks for all that come meanwhile. */
    private void drain() {
        synchronized (this) {
            if (session == null || draining) {
                return;
            }
            draining = true;
        }
        try {
            for (Runnable next = nextCommand(); next != null; next = nextCommand()) {
                next.run();
            }
        } catch (RuntimeException failure) {
            synchronized (this) {
                draining = false;
            }
            throw failure;
        }
    }

    /** The next word; null when all is said, from when on another may speak. */
    private synchronized @Nullable Runnable nextCommand() {
        Consumer<SandboxSession> word = commands.poll();
        SandboxSession live = session;
        if (word == null || live == null) {
            draining = false;
            return null;
        }
        return () -> word.accept(live);
    }
}
