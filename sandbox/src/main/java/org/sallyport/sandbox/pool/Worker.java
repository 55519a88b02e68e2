package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;
import org.sallyport.sandbox.protocol.FrameTooLargeException;
import org.sallyport.sandbox.protocol.ProtocolException;

/** One worker process, from its start until all that ran in it was told its end. */
final class Worker {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** More than a worker allows itself, which counts processor time and so may take longer on a busy machine. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long UNREAD_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private final WorkerSandbox pool;
    private final Map<Long, RemoteSession> sessions = new ConcurrentHashMap<>();
    private final Map<Long, RemoteCheck> checks = new ConcurrentHashMap<>();
    private final Menus menus = new Menus();
    private final Pulse pulse = new Pulse();
    private final AtomicBoolean gone = new AtomicBoolean();
    private volatile long verdictNanos = System.nanoTime();

    private volatile @Nullable Started started;
    private volatile @Nullable FrameChannel channel;
    private volatile @Nullable String killedBecause;
    private volatile @Nullable RemoteSession culprit;
    private volatile boolean closing;

    Worker(WorkerSandbox pool) {
        this.pool = pool;
    }

    /** Says that its process runs. */
    void started(Started process) {
        started = process;
        var unused = process.process().onExit().thenRun(() -> {
            // Before it came to the door nobody reads from it.
            if (channel == null) {
                end(lost(SessionEnd.Reason.WORKER_LOST, "The worker ended before it was ready"));
            }
        });
        if (killedBecause != null) {
            process.kill();
        }
    }

    /** Whether it asks to be replaced. */
    boolean wantsReplacement() {
        return pulse.wantsReplacement() || menus.full();
    }

    /** Reads until the worker is gone; the calling thread is the one that tells all its sessions. */
    void read(FrameChannel connected) {
        channel = connected;
        SessionEnd.Lost why;
        try {
            pool.ready(this);
            while (true) {
                Frame frame = connected.receive();
                pulse.heard();
                take(frame);
            }
        } catch (ProtocolException violation) {
            LOG.log(System.Logger.Level.ERROR, "a worker was killed: {0}", violation.getMessage());
            kill("it sent what no healthy worker sends");
            why = lost(SessionEnd.Reason.PROTOCOL_VIOLATION, "The worker sent what no healthy worker sends");
        } catch (IOException socketEnded) {
            String reason = killedBecause;
            why = lost(
                    SessionEnd.Reason.WORKER_LOST,
                    reason == null ? "The worker process ended" : "The worker process was ended: " + reason);
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.ERROR, "a listener failed; its worker is ended", failure);
            kill("the server failed on it");
            why = lost(SessionEnd.Reason.WORKER_LOST, "The server failed on what the worker sent");
        }
        connected.close();
        end(why);
    }

    void execute(RemoteSession session, long number) {
        sessions.put(number, session);
        FrameChannel connected = channel;
        if (gone.get() || connected == null) {
            // It has not begun: another worker may take it, unless it was told its end with the others.
            if (sessions.remove(number) != null) {
                pool.place(session);
            }
            return;
        }
        var request = session.request();
        try {
            long menu = menus.number(connected, request.toolbox());
            connected.send(new Frame.Execute(
                    number,
                    request.script(),
                    request.args(),
                    request.context(),
                    request.limits(),
                    menu,
                    request.env(),
                    request.debug(),
                    request.past(),
                    request.parkMillis()));
        } catch (IOException failure) {
            broken(failure);
        }
    }

    void check(RemoteCheck check, long number) {
        checks.put(number, check);
        if (gone.get()) {
            if (checks.remove(number) != null) {
                pool.place(check);
            }
            return;
        }
        send(new Frame.Check(number, check.script()));
    }

    void send(Frame.ToWorker frame) {
        FrameChannel connected = channel;
        if (connected == null) {
            return;
        }
        try {
            connected.send(frame);
        } catch (IOException failure) {
            broken(failure);
        }
    }

    /** As {@link #kill(String)}, for what one session does: the others are innocent. */
    void killFor(RemoteSession session, String because) {
        if (killedBecause == null) {
            culprit = session;
        }
        kill(because);
    }

    /** Ends the process: asks first, then does not ask. Its sessions are told by its reader. */
    void kill(String because) {
        if (killedBecause == null) {
            killedBecause = because;
        }
        pool.leaving(this);
        Started process = started;
        if (process != null) {
            process.ask();
            pool.later(process::kill, 200);
        }
        FrameChannel connected = channel;
        if (connected != null) {
            // A process that even then does not end must not keep its sessions.
            pool.later(connected::close, 500);
        }
    }

    /** Ends the process at once. */
    void discard() {
        killedBecause = killedBecause == null ? "it was not needed any more" : killedBecause;
        Started process = started;
        if (process != null) {
            process.kill();
        }
    }

    /** Ends the process because the pool is closed; its sessions are told so. */
    void close() {
        closing = true;
        discard();
    }

    /** Kills a worker that does not come, does not read, does not report or reads a script for too long. */
    void inspect(long now) {
        if (killedBecause != null) {
            return;
        }
        FrameChannel connected = channel;
        if (connected == null) {
            if (pulse.silence(now) > START_NANOS) {
                kill("it did not get ready");
            }
            return;
        }
        long waiting = connected.waitingSince();
        if (waiting != 0 && now - waiting > UNREAD_NANOS) {
            kill("it did not read what it was sent");
        } else if (!sessions.isEmpty() && pulse.silence(now) > SILENCE_NANOS) {
            kill("it did not answer");
        } else if (readsSince(now) > CHECK_NANOS) {
            kill("it took too long to read a script");
        }
    }

    /** Nanoseconds since it began to read the script it reads: it reads them one by one, in their order. */
    private long readsSince(long now) {
        RemoteCheck first = beingRead();
        return first == null ? 0 : Math.min(now - first.startedNanos(), now - verdictNanos);
    }

    private @Nullable RemoteCheck beingRead() {
        return checks.entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .orElse(null);
    }

    /** How many of its sessions computed when it told last. */
    int computing() {
        return pulse.computing().size();
    }

    /** When it last had nothing to say counts from now: it has work again. */
    void touched() {
        if (sessions.isEmpty()) {
            pulse.heard();
        }
    }

    private void take(Frame frame) throws ProtocolException {
        if (frame instanceof Frame.Call call) {
            session(call.session()).called(call);
        } else if (frame instanceof Frame.Output output) {
            session(output.session()).printed(output);
        } else if (frame instanceof Frame.Done done) {
            session(done.session()).done(done.end());
            sessions.remove(done.session());
            pool.finished(this);
        } else if (frame instanceof Frame.Recorded recorded) {
            session(recorded.session()).recorded(recorded.log());
        } else if (frame instanceof Frame.Truncated full) {
            session(full.session()).truncated(full.stream());
        } else if (frame instanceof Frame.Inspectable inspectable) {
            session(inspectable.session()).inspectable(inspectable);
        } else if (frame instanceof Frame.Profiled profiled) {
            session(profiled.session()).profiled(profiled);
        } else if (frame instanceof Frame.Progress progress) {
            session(progress.session()).progressed(progress);
        } else if (frame instanceof Frame.Checked checked) {
            RemoteCheck check = checks.remove(checked.check());
            verdictNanos = System.nanoTime();
            if (check == null) {
                throw new ProtocolException("verdict on an unknown script");
            }
            check.verdict().complete(Words.bounded(checked.verdict()));
            pool.finished(this);
        } else if (frame instanceof Frame.Heartbeat beat) {
            pulse.beat(beat);
        } else {
            throw new ProtocolException("a frame that workers do not send");
        }
    }

    private RemoteSession session(long number) throws ProtocolException {
        RemoteSession session = sessions.get(number);
        if (session == null) {
            throw new ProtocolException("frame of an unknown session");
        }
        return session;
    }

    private void broken(IOException failure) {
        if (failure instanceof FrameTooLargeException) {
            LOG.log(System.Logger.Level.ERROR, "a frame was too large to send; its worker is ended");
        }
        kill("the connection to it broke");
    }

    private void end(SessionEnd.Lost cause) {
        // First: who is told its end may at once start another session, which must not come here again.
        pool.leaving(this);
        if (!gone.compareAndSet(false, true)) {
            return;
        }
        SessionEnd.Lost why = closing ? Placement.unavailable() : cause;
        boolean ofMemory = why.reason() == SessionEnd.Reason.WORKER_LOST && ranOutOfMemory();
        Set<RemoteSession> suspects = suspects();
        Optional<RemoteSession> hog = ofMemory ? hog(suspects) : Optional.empty();
        if (hog.isPresent()) {
            suspects = Set.of(hog.get());
        }
        SessionEnd forSuspects = suspected(why);
        if (ofMemory) {
            forSuspects = hog.isPresent()
                    ? new SessionEnd.LimitReached(
                            SessionEnd.Limit.MEMORY, "The script used up all memory of its worker; hold less at once")
                    : new SessionEnd.Lost(
                            SessionEnd.Reason.OUT_OF_MEMORY,
                            "The memory of the worker was used up while the script computed in it",
                            true);
        }
        for (Long number : List.copyOf(sessions.keySet())) {
            RemoteSession session = sessions.remove(number);
            if (session == null) {
                continue;
            }
            session.lost(suspects.contains(session) ? forSuspects : why);
        }
        boolean perhapsByReading = culprit == null && (suspects.isEmpty() || !ofMemory);
        RemoteCheck read = perhapsByReading ? beingRead() : null;
        List<RemoteCheck> unread = List.copyOf(checks.keySet()).stream()
                .map(checks::remove)
                .filter(java.util.Objects::nonNull)
                .toList();
        pool.gone(this);
        unread.forEach(check -> check.lost(check == read ? suspected(why) : why));
        Started process = started;
        if (process != null) {
            process.remove();
        }
    }

    /** The sessions that may have computed when the worker died; just the culprit when that is known. */
    private Set<RemoteSession> suspects() {
        RemoteSession known = culprit;
        if (known != null) {
            return Set.of(known);
        }
        return sessions.values().stream()
                .filter(each -> each.spokenSince(pulse.beatNanos()) || isComputing(each))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Whose memory it was: that of the only one there, or of the one that asked for most and for more than it may hold. What a
     * heartbeat told is old when the memory went at once; then nobody is accused for the little that he asked for before.
     */
    private Optional<RemoteSession> hog(Set<RemoteSession> suspects) {
        if (sessions.size() == 1 && (checks.isEmpty() || !suspects.isEmpty())) {
            return sessions.values().stream().findFirst();
        }
        Map<Long, Long> allocated = pulse.computing();
        return suspects.stream()
                .max(Comparator.comparingLong(each -> allocated.getOrDefault(each.number(), 0L)))
                .filter(most -> allocated.getOrDefault(most.number(), 0L) << 20
                        > most.request().limits().heapBytes());
    }

    private static SessionEnd suspected(SessionEnd.Lost lost) {
        return new SessionEnd.Lost(lost.reason(), lost.message(), true);
    }

    private boolean isComputing(RemoteSession session) {
        return pulse.computing().containsKey(session.number());
    }

    private boolean ranOutOfMemory() {
        Started process = started;
        return killedBecause == null && process != null && process.ranOutOfMemory();
    }

    private static SessionEnd.Lost lost(SessionEnd.Reason reason, String message) {
        return new SessionEnd.Lost(reason, message);
    }
}
