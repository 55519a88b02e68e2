package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Holds back the turns of all sessions while long results wait for memory of the listeners: each further turn could end
 * with another long result, and together they would fill the heap. Thread-safe.
 */
final class TurnGate {
    /** Enough for two of the longest results that the default limits allow. */
    static final long MAX_WAITING_CHARS = 8L << 20;

    private final Consumer<Runnable> executor;
    // Guarded by this.
    private final Deque<Runnable> heldTurns = new ArrayDeque<>();
    private long waitingChars;

    /** @param executor runs the turns that were held back */
    TurnGate(Consumer<Runnable> executor) {
        this.executor = executor;
    }

    /** Returns whether {@code turn} must not run now. The executor receives it later. */
    synchronized boolean holdsBack(Runnable turn) {
        if (waitingChars > MAX_WAITING_CHARS) {
            heldTurns.add(turn);
            return true;
        }
        return false;
    }

    /** Records that a result of {@code chars} characters waits. */
    synchronized void resultWaits(int chars) {
        waitingChars += chars;
    }

    /** Records that a result of {@code chars} characters does not wait any more. */
    void resultLeft(int chars) {
        List<Runnable> turns;
        synchronized (this) {
            waitingChars -= chars;
            if (waitingChars > MAX_WAITING_CHARS) {
                return;
            }
            turns = List.copyOf(heldTurns);
            heldTurns.clear();
        }
        turns.forEach(executor);
    }
}
