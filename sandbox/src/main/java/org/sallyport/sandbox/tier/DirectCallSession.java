package org.sallyport.sandbox.tier;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;

/** The session of a script that is one call: the call, and the end that follows from its answer. */
final class DirectCallSession implements SandboxSession {
    private static final long CALL_ORDINAL = 1;

    private final DirectCall call;
    private final int resultChars;
    private final boolean canPark;
    private final SessionListener listener;
    private final Consumer<DirectCallSession> endCallback;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param parks whether it need not stay while its answer takes long
     * @param over told when the session has ended
     */
    DirectCallSession(
            DirectCall call,
            int resultChars,
            boolean parks,
            SessionListener listener,
            Consumer<DirectCallSession> over) {
        this.call = call;
        this.resultChars = resultChars;
        this.canPark = parks;
        this.listener = listener;
        this.endCallback = over;
    }

    /** Makes the call; may end before it returns. */
    synchronized void start() {
        if (!ended.get()) {
            listener.onToolCall(CALL_ORDINAL, call.tool().backend(), call.tool().tool(), call.arguments());
        }
    }

    @Override
    public void resolve(long ordinal, String result) {
        if (ordinal == CALL_ORDINAL && ended.compareAndSet(false, true)) {
            notifyEnded(DirectCallResult.ofReply(call, result, resultChars));
        }
    }

    @Override
    public void reject(long ordinal, GuestError error) {
        if (ordinal == CALL_ORDINAL && ended.compareAndSet(false, true)) {
            notifyEnded(DirectCallResult.ofError(call, error));
        }
    }

    @Override
    public void postpone(long ordinal) {
        if (ordinal == CALL_ORDINAL && canPark) {
            end(new SessionResult.SessionParked(0));
        }
    }

    /** It has no timers. */
    @Override
    public void lowerParkThreshold(long millis) {}

    @Override
    public void cancel() {
        end(new SessionResult.SessionCancelled());
    }

    /** Ends the session, whatever it waits for. */
    void end(SessionResult why) {
        if (ended.compareAndSet(false, true)) {
            notifyEnded(why);
        }
    }

    /** One at a time: an answer may come from another thread while the listener is still being told of the call. */
    private synchronized void notifyEnded(SessionResult end) {
        endCallback.accept(this);
        listener.onEnded(end);
    }
}
