package org.sallyport.sandbox.guest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.graalvm.polyglot.PolyglotException;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/**
 * One session: an inbox, and turns on a carrier that empty it. Between turns it holds no thread. All that ends it goes
 * through {@link #stop} or the result of a turn, and {@link #finish} happens once.
 */
public final class GuestSession implements SandboxSession {
    private static final System.Logger LOG = System.getLogger(GuestSession.class.getName());

    /** Something to do on a turn. */
    @FunctionalInterface
    interface Delivery {
        void to(GuestProgram program);
    }

    private final SessionRequest request;
    private final GuestRuntime runtime;
    private final GuestVoice voice;
    private final GuestProgram program;

    // Guarded by this.
    private Deque<Delivery> inbox = new ArrayDeque<>();
    private boolean scheduled;
    private boolean running;
    private boolean ended;
    private @Nullable SessionEnd stopped;
    private long stoppedNanos;

    private volatile long thread;
    private volatile Carriers.Usage before = Carriers.Usage.NONE;
    private volatile Carriers.Usage used = Carriers.Usage.NONE;

    GuestSession(GuestRuntime runtime, SessionRequest request, Workbench bench, SessionListener listener) {
        this.runtime = runtime;
        this.request = request;
        RunLog log = new RunLog(request.past(), clock(request.past().aheadMillis()));
        voice = new GuestVoice(listener, request.limits().outputChars(), log);
        program = new GuestProgram(request, bench, runtime, voice, this::deliver);
    }

    /** Nobody sets it while the session lasts. */
    private static LongSupplier clock(long aheadMillis) {
        long begun = System.currentTimeMillis() + aheadMillis;
        long nanos = System.nanoTime();
        return () -> begun + (System.nanoTime() - nanos) / 1_000_000;
    }

    /** The name it was started with. */
    public String id() {
        return request.id();
    }

    @Override
    public void resolve(long call, String result) {
        deliver(each -> each.resolve(call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        deliver(each -> each.reject(call, error));
    }

    @Override
    public void postpone(long call) {
        deliver(each -> each.postpone(call));
    }

    @Override
    public void park(long millis) {
        deliver(each -> each.park(millis));
    }

    @Override
    public void cancel() {
        stop(new SessionEnd.Cancelled());
    }

    void start() {
        deliver(GuestProgram::begin);
    }

    /** Ends the session from outside of its turn, whatever it does. */
    void stop(SessionEnd why) {
        boolean interrupt;
        synchronized (this) {
            if (ended || stopped != null) {
                return;
            }
            stopped = why;
            stoppedNanos = System.nanoTime();
            interrupt = running;
            if (!running) {
                schedule();
            }
        }
        if (interrupt) {
            runtime.interrupt(program::close);
        }
    }

    /** Reports what was printed some time ago; called by the clock. */
    void tick() {
        voice.flush();
    }

    /** What it has used so far, the present turn included. */
    Carriers.Usage usage() {
        Carriers.Usage total = used;
        long carrier = thread;
        return carrier == 0 ? total : total.plus(Carriers.usageOf(carrier).minus(before));
    }

    /** Memory it asked for so far, whether still held or not. */
    public long allocatedBytes() {
        return Math.max(0, usage().allocatedBytes());
    }

    org.sallyport.sandbox.SessionLimits limits() {
        return request.limits();
    }

    /** Whether it was stopped this long ago and still computes. */
    synchronized boolean stuck(long nanos) {
        return running && !ended && stopped != null && System.nanoTime() - stoppedNanos > nanos;
    }

    /** Ends a session that cannot be stopped; its carrier is lost. */
    void abandon() {
        SessionEnd end;
        synchronized (this) {
            if (ended || stopped == null) {
                return;
            }
            end = stopped;
        }
        finish(end);
    }

    private void deliver(Delivery delivery) {
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
            runtime.carriers().execute(this::turn);
        }
    }

    private void turn() {
        Deque<Delivery> work;
        SessionEnd end;
        synchronized (this) {
            if (ended) {
                return;
            }
            running = true;
            work = inbox;
            inbox = new ArrayDeque<>();
            end = stopped;
        }
        Carriers.occupy(this);
        before = Carriers.usage();
        thread = Thread.currentThread().getId();
        try {
            end = end != null ? end : perform(work);
        } finally {
            thread = 0;
            used = used.plus(Carriers.usage().minus(before));
        }
        synchronized (this) {
            running = false;
            scheduled = false;
            end = end != null ? end : stopped;
            if (end == null && inbox.isEmpty() && !program.waiting()) {
                end = GuestEnding.deadlock();
            }
            if (end == null && inbox.isEmpty()) {
                end = program.parked();
            }
            if (end == null && !inbox.isEmpty()) {
                schedule();
            }
            // What is delivered from here on must find it over: a turn in a closed context looks like a broken engine.
            stopped = end;
        }
        if (end == null) {
            voice.flush();
        } else {
            close();
            finish(end);
        }
        Carriers.occupy(null);
        runtime.turnEnded();
    }

    private @Nullable SessionEnd perform(Deque<Delivery> work) {
        try {
            for (Delivery delivery : work) {
                delivery.to(program);
                if (program.settled() == null) {
                    program.catchUp();
                }
                if (program.settled() != null) {
                    return program.settled();
                }
            }
            program.unstick();
            return program.settled();
        } catch (RuntimeException | Error failure) {
            SessionEnd told = stopCause() != null ? null : told(failure);
            return stopCause() != null ? stopCause() : told;
        }
    }

    /** What a failure means. A stop from outside may close the context at any time, here as well. */
    private SessionEnd told(Throwable failure) {
        try {
            if (failure instanceof PolyglotException ofEngine) {
                return program.failure(ofEngine);
            }
            broken(failure);
        } catch (RuntimeException | Error again) {
            if (stopCause() == null) {
                broken(again);
            }
        }
        return GuestEnding.engineFailure();
    }

    private void broken(Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, "session " + request.id() + " failed inside the sandbox", failure);
        runtime.damaged();
    }

    /** Whatever comes of it, the session has its end. */
    private void close() {
        try {
            program.close();
        } catch (RuntimeException | Error failure) {
            broken(failure);
        }
    }

    private synchronized @Nullable SessionEnd stopCause() {
        return stopped;
    }

    private void finish(SessionEnd end) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            inbox.clear();
        }
        program.clearTimers();
        runtime.forget(this);
        program.profile().ifPresent(voice::profiled);
        voice.end(end);
    }
}
