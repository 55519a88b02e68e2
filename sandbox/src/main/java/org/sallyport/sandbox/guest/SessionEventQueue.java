package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.OpenCharsLimiter;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;

/**
 * Passes the events of a session to its listener. A call with long arguments waits until the listener has reserved
 * memory for them, and all later events wait behind it, so that their order stays the same. The script does not notice:
 * its call has its ordinal and is open. If the script ends meanwhile, its end waits too: a replay would otherwise make
 * fewer calls than the first run. A long result of the script waits for memory in the same way. Thread-safe.
 */
final class SessionEventQueue implements SessionListener {
    private final SessionListener listener;
    private final TurnGate gate;
    private final Runnable endCallback;
    private final OpenCharsLimiter unreservedCalls = new OpenCharsLimiter(OpenCharsLimiter.MAX_UNRESERVED_CHARS);

    // Guarded by this.
    private final Deque<HeldEvent> held = new ArrayDeque<>();
    /** Whether a reservation is pending, for the call at the head of the queue, or for the result. */
    private boolean reserving;

    /** The characters of the result for which a reservation was requested; 0 before. */
    private int reservedResultChars;

    private boolean draining;
    /** The end of the script, if it waits. */
    private @Nullable SessionResult heldEnd;
    /** The first request to stop the session. */
    private @Nullable SessionResult stopResult;

    private boolean ended;

    /**
     * An event that waits.
     *
     * @param call the call, if the event is one
     * @param reserved whether a reservation for the call is requested
     */
    private record HeldEvent(@Nullable HeldCall call, boolean reserved, Consumer<SessionListener> delivery) {}

    private record HeldCall(long ordinal, int argumentChars) {}

    /**
     * @param gate holds back turns while results wait
     * @param endCallback called before the listener receives the end
     */
    SessionEventQueue(SessionListener listener, TurnGate gate, Runnable endCallback) {
        this.listener = listener;
        this.gate = gate;
        this.endCallback = endCallback;
    }

    /** Records that a call is answered. */
    void callAnswered(long call) {
        unreservedCalls.release(call);
    }

    @Override
    public synchronized void onToolCall(long call, String backend, String tool, String arguments) {
        if (held.isEmpty() && unreservedCalls.tryAdd(call, arguments.length())) {
            listener.onToolCall(call, backend, tool, arguments);
        } else {
            held.add(new HeldEvent(
                    new HeldCall(call, arguments.length()),
                    false,
                    to -> to.onToolCall(call, backend, tool, arguments)));
            drain();
        }
    }

    private synchronized void onReserved() {
        reserving = false;
        drain();
    }

    /** Delivers events up to the next call that must wait. A loop, because the listener may reserve at once. */
    private void drain() {
        if (draining || ended) {
            return;
        }
        draining = true;
        try {
            while (!reserving && !held.isEmpty()) {
                HeldEvent next = held.removeFirst();
                HeldCall call = next.call();
                if (call == null || next.reserved() || unreservedCalls.tryAdd(call.ordinal(), call.argumentChars())) {
                    next.delivery().accept(listener);
                } else {
                    held.addFirst(new HeldEvent(call, true, next.delivery()));
                    reserving = true;
                    var unused = listener.reserveArguments(call.ordinal(), call.argumentChars())
                            .thenRun(this::onReserved);
                }
            }
        } finally {
            draining = false;
        }
        SessionResult end = heldEnd;
        if (held.isEmpty() && !reserving && end != null) {
            if (needsReservation(end)) {
                awaitMemory(((SessionResult.ScriptReturned) end).result().length());
            } else {
                finish(end);
            }
        }
    }

    private boolean needsReservation(SessionResult end) {
        return reservedResultChars == 0
                && end instanceof SessionResult.ScriptReturned returned
                && returned.result().length() > OpenCharsLimiter.MAX_UNRESERVED_RESULT_CHARS;
    }

    private void awaitMemory(int chars) {
        reserving = true;
        reservedResultChars = chars;
        gate.resultWaits(chars);
        var unused = listener.reserveResult(chars).thenRun(this::onReserved);
    }

    private synchronized void deliver(Consumer<SessionListener> event) {
        if (held.isEmpty()) {
            event.accept(listener);
        } else {
            held.add(new HeldEvent(null, false, event));
        }
    }

    @Override
    public CompletionStage<?> reserveArguments(long call, int chars) {
        throw new UnsupportedOperationException("this queue makes the reservations");
    }

    @Override
    public CompletionStage<?> reserveResult(int chars) {
        throw new UnsupportedOperationException("this queue makes the reservations");
    }

    @Override
    public void onOutput(OutputStreamKind stream, String text) {
        deliver(to -> to.onOutput(stream, text));
    }

    @Override
    public void onOutputTruncated(OutputStreamKind stream) {
        deliver(to -> to.onOutputTruncated(stream));
    }

    /** Does not wait: only the latest report counts. */
    @Override
    public synchronized void onProgress(double fraction, String text) {
        listener.onProgress(fraction, text);
    }

    @Override
    public void onReplayLog(String log) {
        deliver(to -> to.onReplayLog(log));
    }

    @Override
    public void onBlockedAccess(List<BlockedAccess> counts) {
        deliver(to -> to.onBlockedAccess(counts));
    }

    @Override
    public void onDebuggerReady(String url) {
        deliver(to -> to.onDebuggerReady(url));
    }

    @Override
    public void onProfile(String profile) {
        deliver(to -> to.onProfile(profile));
    }

    /** Waits only if the script ended by itself. */
    @Override
    public synchronized void onEnded(SessionResult end) {
        boolean byItself = end instanceof SessionResult.ScriptReturned || end instanceof SessionResult.ScriptThrew;
        SessionResult stopped = stopResult;
        if (!byItself) {
            finish(end);
        } else if (stopped != null && (!held.isEmpty() || needsReservation(end))) {
            finish(stopped);
        } else {
            heldEnd = end;
            drain();
        }
    }

    /** Stops the wait of a script that has ended or ends later. Returns whether the session has ended now. */
    synchronized boolean stop(SessionResult why) {
        if (stopResult == null) {
            stopResult = why;
        }
        boolean waits = heldEnd != null && !ended;
        if (waits) {
            finish(why);
        }
        return waits;
    }

    /** Drops the calls that still wait: the end cancels all open calls. */
    private void finish(SessionResult end) {
        if (ended) {
            return;
        }
        ended = true;
        List<HeldEvent> left = List.copyOf(held);
        held.clear();
        for (HeldEvent each : left) {
            if (each.call() == null) {
                each.delivery().accept(listener);
            }
        }
        endCallback.run();
        listener.onEnded(end);
        if (reservedResultChars > 0) {
            gate.resultLeft(reservedResultChars);
        }
    }
}
