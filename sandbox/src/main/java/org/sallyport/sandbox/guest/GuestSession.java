package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.graalvm.polyglot.PolyglotException;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;

/**
 * One session: an inbox of messages, and turns on a guest thread that process them. Between turns it holds no thread.
 * Every end goes through {@link #stop} or the result of a turn, and {@link #finish} takes effect once. A session that
 * is stopped between turns ends on another thread, so it waits for no other session.
 */
public final class GuestSession implements SandboxSession {
    private static final System.Logger LOG = System.getLogger(GuestSession.class.getName());

    /** A message that is processed on a turn. */
    @FunctionalInterface
    interface SessionMessage {
        void deliverTo(GuestProgram program);
    }

    private final SessionRequest request;
    private final GuestRuntime runtime;
    private final SessionNotifier notifier;
    private final GuestProgram program;

    // Guarded by this.
    private Deque<SessionMessage> inbox = new ArrayDeque<>();
    private boolean scheduled;
    private boolean running;
    private boolean ended;
    private @Nullable SessionResult stopResult;
    private long stoppedNanos;

    private volatile long threadId;
    private volatile GuestThreads.ThreadUsage usageAtTurnStart = GuestThreads.ThreadUsage.NONE;
    private volatile GuestThreads.ThreadUsage usageBeforeTurn = GuestThreads.ThreadUsage.NONE;

    GuestSession(GuestRuntime runtime, SessionRequest request, PreparedToolbox bench, SessionListener listener) {
        this.runtime = runtime;
        this.request = request;
        ReplayLog log = new ReplayLog(
                request.replayState(), newClock(request.replayState().clockOffsetMillis()));
        notifier = new SessionNotifier(
                listener, request.limits().outputChars(), log, runtime.turnGate(), () -> runtime.removeSession(this));
        program = new GuestProgram(request, bench, runtime, notifier, this::enqueue);
    }

    /** Returns a clock that is not affected by changes of the system time during the session. */
    private static LongSupplier newClock(long aheadMillis) {
        long begun = System.currentTimeMillis() + aheadMillis;
        long nanos = System.nanoTime();
        return () -> begun + (System.nanoTime() - nanos) / 1_000_000;
    }

    /** Returns the id of the session request. */
    public String id() {
        return request.id();
    }

    @Override
    public void resolve(long call, String result) {
        enqueue(each -> each.resolve(call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        enqueue(each -> each.reject(call, error));
    }

    @Override
    public void postpone(long call) {
        enqueue(each -> each.postpone(call));
    }

    @Override
    public void lowerParkThreshold(long millis) {
        enqueue(each -> each.lowerParkThreshold(millis));
    }

    @Override
    public void cancel() {
        stop(new SessionResult.SessionCancelled());
    }

    void start() {
        enqueue(GuestProgram::start);
    }

    /** Ends the session from outside of its turn, in any state. */
    void stop(SessionResult why) {
        if (notifier.stop(why)) {
            runtime.turnEnded();
            return;
        }
        boolean interrupt;
        synchronized (this) {
            if (ended || stopResult != null) {
                return;
            }
            stopResult = why;
            stoppedNanos = System.nanoTime();
            interrupt = running;
        }
        if (interrupt) {
            runtime.interrupt(program::close);
        } else {
            // All guest threads may compute for other sessions, and turns may wait for them.
            runtime.endWaiting(this::runTurn);
        }
    }

    /** Reports buffered output; called by the timer thread. */
    void flushOutput() {
        notifier.flush();
    }

    /** Returns CPU time and allocated memory so far, including the current turn. */
    GuestThreads.ThreadUsage usage() {
        GuestThreads.ThreadUsage total = usageBeforeTurn;
        long carrier = threadId;
        return carrier == 0 ? total : total.plus(GuestThreads.usageOf(carrier).minus(usageAtTurnStart));
    }

    /** Returns the bytes that the session has allocated so far, whether still held or not. */
    public long allocatedBytes() {
        return Math.max(0, usage().allocatedBytes());
    }

    org.sallyport.sandbox.SessionLimits limits() {
        return request.limits();
    }

    /** Returns whether the session was stopped more than {@code nanos} ago and still computes. */
    synchronized boolean isStuckFor(long nanos) {
        return running && !ended && stopResult != null && System.nanoTime() - stoppedNanos > nanos;
    }

    /** Ends a session that cannot be stopped; its thread is lost. */
    void abandon() {
        SessionResult end;
        synchronized (this) {
            if (ended || stopResult == null) {
                return;
            }
            end = stopResult;
        }
        finish(end);
    }

    private void enqueue(SessionMessage delivery) {
        synchronized (this) {
            if (!ended) {
                inbox.add(delivery);
                schedule();
            }
        }
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            runtime.guestThreads().execute(this::runTurn);
        }
    }

    private void runTurn() {
        if (stopResult() == null && runtime.turnGate().holdsBack(this::runTurn)) {
            return;
        }
        Deque<SessionMessage> work;
        SessionResult end;
        synchronized (this) {
            // A stop runs the last turn beside one that waits for a guest thread.
            if (ended || running) {
                return;
            }
            running = true;
            work = inbox;
            inbox = new ArrayDeque<>();
            end = stopResult;
        }
        GuestThreads.setCurrentSession(this);
        usageAtTurnStart = GuestThreads.currentUsage();
        threadId = Thread.currentThread().getId();
        try {
            end = end != null ? end : handleMessages(work);
        } finally {
            threadId = 0;
            usageBeforeTurn = usageBeforeTurn.plus(GuestThreads.currentUsage().minus(usageAtTurnStart));
        }
        synchronized (this) {
            running = false;
            scheduled = false;
            end = end != null ? end : stopResult;
            if (end == null && inbox.isEmpty() && !program.isWaiting()) {
                end = GuestCompletion.deadlockResult();
            }
            if (end == null && inbox.isEmpty()) {
                end = program.parkedResult();
            }
            if (end == null && !inbox.isEmpty()) {
                schedule();
            }
            // Messages that arrive from here on must find the session over: a turn in a closed context looks like an
            // engine failure.
            stopResult = end;
        }
        if (end == null) {
            notifier.flush();
        } else {
            close();
            finish(end);
        }
        GuestThreads.setCurrentSession(null);
        runtime.turnEnded();
    }

    private @Nullable SessionResult handleMessages(Deque<SessionMessage> work) {
        try {
            for (SessionMessage delivery : work) {
                delivery.deliverTo(program);
                if (program.sessionResult() == null) {
                    program.replayTimers();
                }
                if (program.sessionResult() != null) {
                    return program.sessionResult();
                }
            }
            program.resumeStalled();
            return program.sessionResult();
        } catch (RuntimeException | Error failure) {
            SessionResult result = stopResult() != null ? null : mapFailure(failure);
            return stopResult() != null ? stopResult() : result;
        }
    }

    /**
     * Maps a failure to a result. A stop from outside may close the context at any time, including during this call.
     */
    private SessionResult mapFailure(Throwable failure) {
        try {
            if (failure instanceof PolyglotException ofEngine) {
                return program.mapFailure(ofEngine);
            }
            reportFailure(failure);
        } catch (RuntimeException | Error secondFailure) {
            if (stopResult() == null) {
                reportFailure(secondFailure);
            }
        }
        return GuestCompletion.engineFailureResult();
    }

    private void reportFailure(Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, "session " + request.id() + " failed inside the sandbox", failure);
        runtime.markDamaged();
    }

    /** Closes the program; a failure here must not prevent the end of the session. */
    private void close() {
        try {
            program.close();
        } catch (RuntimeException | Error failure) {
            reportFailure(failure);
        }
    }

    private synchronized @Nullable SessionResult stopResult() {
        return stopResult;
    }

    private void finish(SessionResult end) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            inbox.clear();
        }
        program.clearTimers();
        program.profile().ifPresent(notifier::notifyProfile);
        notifier.notifyEnded(end);
    }
}
