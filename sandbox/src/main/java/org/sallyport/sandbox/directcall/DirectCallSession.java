package org.sallyport.sandbox.directcall;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.OpenCharsLimiter;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;

/** The session of a script that is one call: makes the call and ends with the result that follows from its answer. */
final class DirectCallSession implements SandboxSession {
    private static final long CALL_ORDINAL = 1;

    private final DirectCall call;
    private final int resultChars;
    private final boolean canPark;
    private final SessionListener listener;
    private final Consumer<DirectCallSession> endCallback;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param parks whether the session may be parked when its answer takes long
     * @param endCallback called when the session has ended
     */
    DirectCallSession(
            DirectCall call,
            int resultChars,
            boolean parks,
            SessionListener listener,
            Consumer<DirectCallSession> endCallback) {
        this.call = call;
        this.resultChars = resultChars;
        this.canPark = parks;
        this.listener = listener;
        this.endCallback = endCallback;
    }

    /** Makes the call, or waits for the memory for it; the session may end before this method returns. */
    void start() {
        int chars = call.arguments().length();
        if (chars <= OpenCharsLimiter.MAX_UNRESERVED_CHARS) {
            makeCall();
        } else if (!ended.get()) {
            var unused = listener.reserveArguments(CALL_ORDINAL, chars).thenRun(this::makeCall);
        }
    }

    private synchronized void makeCall() {
        if (!ended.get()) {
            listener.onToolCall(CALL_ORDINAL, call.tool().backend(), call.tool().tool(), call.arguments());
        }
    }

    @Override
    public void resolve(long ordinal, String result) {
        if (ordinal == CALL_ORDINAL && answered.compareAndSet(false, true)) {
            endWithReply(DirectCallResult.ofReply(call, result, resultChars));
        }
    }

    @Override
    public void reject(long ordinal, GuestError error) {
        if (ordinal == CALL_ORDINAL && answered.compareAndSet(false, true)) {
            end(DirectCallResult.ofError(call, error));
        }
    }

    @Override
    public void postpone(long ordinal) {
        if (ordinal == CALL_ORDINAL && canPark && !answered.get()) {
            end(new SessionResult.SessionParked(0, List.of(CALL_ORDINAL)));
        }
    }

    /** Has no effect, because the session has no timers. */
    @Override
    public void lowerParkThreshold(long millis) {}

    @Override
    public void cancel() {
        end(new SessionResult.SessionCancelled());
    }

    /** Ends the session with the given result, unless it has already ended. */
    void end(SessionResult why) {
        if (ended.compareAndSet(false, true)) {
            notifyEnded(why);
        }
    }

    /** Waits for the memory for a long result. Synchronized as {@link #notifyEnded}. */
    private synchronized void endWithReply(SessionResult result) {
        int chars = result instanceof SessionResult.ScriptReturned returned
                ? returned.result().length()
                : 0;
        if (chars <= OpenCharsLimiter.MAX_UNRESERVED_RESULT_CHARS) {
            end(result);
        } else if (!ended.get()) {
            var unused = listener.reserveResult(chars).thenRun(() -> end(result));
        }
    }

    /** Synchronized: an answer may arrive on another thread while the listener still handles the call. */
    private synchronized void notifyEnded(SessionResult end) {
        endCallback.accept(this);
        listener.onEnded(end);
    }
}
