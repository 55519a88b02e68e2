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
final class AwaitedSession implements SandboxSession {
    // Guarded by this.
    private final Queue<Consumer<SandboxSession>> words = new ArrayDeque<>();
    private @Nullable SandboxSession session;
    private boolean speaking;

    /** It is there. */
    void arrived(SandboxSession started) {
        synchronized (this) {
            session = started;
        }
        speak();
    }

    @Override
    public void resolve(long call, String result) {
        say(live -> live.resolve(call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        say(live -> live.reject(call, error));
    }

    @Override
    public void postpone(long call) {
        say(live -> live.postpone(call));
    }

    @Override
    public void park(long millis) {
        say(live -> live.park(millis));
    }

    @Override
    public void cancel() {
        say(SandboxSession::cancel);
    }

    private void say(Consumer<SandboxSession> word) {
        synchronized (this) {
            words.add(word);
        }
        speak();
    }

    /** Without the lock, since a session may answer by ending: one thread speaks for all that come meanwhile. */
    private void speak() {
        synchronized (this) {
            if (session == null || speaking) {
                return;
            }
            speaking = true;
        }
        try {
            for (Runnable next = next(); next != null; next = next()) {
                next.run();
            }
        } catch (RuntimeException failure) {
            synchronized (this) {
                speaking = false;
            }
            throw failure;
        }
    }

    /** The next word; null when all is said, from when on another may speak. */
    private synchronized @Nullable Runnable next() {
        Consumer<SandboxSession> word = words.poll();
        SandboxSession live = session;
        if (word == null || live == null) {
            speaking = false;
            return null;
        }
        return () -> word.accept(live);
    }
}
