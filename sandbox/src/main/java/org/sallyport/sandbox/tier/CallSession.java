package org.sallyport.sandbox.tier;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;

/** The session of a script that is one call: the call, and the end that follows from its answer. */
final class CallSession implements SandboxSession {
    private static final long CALL = 1;

    private final PlannedCall call;
    private final int resultChars;
    private final boolean parks;
    private final SessionListener listener;
    private final Consumer<CallSession> over;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param parks whether it need not stay while its answer takes long
     * @param over told when the session has ended
     */
    CallSession(
            PlannedCall call, int resultChars, boolean parks, SessionListener listener, Consumer<CallSession> over) {
        this.call = call;
        this.resultChars = resultChars;
        this.parks = parks;
        this.listener = listener;
        this.over = over;
    }

    /** Makes the call; may end before it returns. */
    synchronized void begin() {
        if (!ended.get()) {
            listener.called(CALL, call.tool().backend(), call.tool().tool(), call.arguments());
        }
    }

    @Override
    public void resolve(long ordinal, String result) {
        if (ordinal == CALL && ended.compareAndSet(false, true)) {
            tell(CallEnd.returned(call, result, resultChars));
        }
    }

    @Override
    public void reject(long ordinal, GuestError error) {
        if (ordinal == CALL && ended.compareAndSet(false, true)) {
            tell(CallEnd.threw(call, error));
        }
    }

    @Override
    public void postpone(long ordinal) {
        if (ordinal == CALL && parks) {
            end(new SessionEnd.Parked(0));
        }
    }

    /** It has no timers. */
    @Override
    public void park(long millis) {}

    @Override
    public void cancel() {
        end(new SessionEnd.Cancelled());
    }

    /** Ends the session, whatever it waits for. */
    void end(SessionEnd why) {
        if (ended.compareAndSet(false, true)) {
            tell(why);
        }
    }

    /** One at a time: an answer may come from another thread while the listener is still being told of the call. */
    private synchronized void tell(SessionEnd end) {
        over.accept(this);
        listener.ended(end);
    }
}
