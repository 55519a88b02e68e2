package org.sallyport.runner;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;

/**
 * A session that may still be starting while its script already makes calls. Queues commands and passes them on in the
 * order of the callers, which is the order of the journal. Thread-safe; never blocks.
 */
final class DeferredSession implements SandboxSession {
    // Guarded by this.
    private final Queue<Consumer<SandboxSession>> commands = new ArrayDeque<>();
    private @Nullable SandboxSession session;
    private boolean draining;

    /** Sets the started session and passes the queued commands to it. */
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

    /**
     * Runs the queued commands. Does not hold the lock meanwhile, because the session may end in response to a command.
     * One thread runs the commands of all callers.
     */
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

    /**
     * Returns the next command; null when the queue is empty or the session has not started. Another thread may drain
     * the queue from then on.
     */
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
