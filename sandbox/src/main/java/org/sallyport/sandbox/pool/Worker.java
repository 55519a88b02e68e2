package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;
import org.sallyport.sandbox.protocol.FrameTooLargeException;
import org.sallyport.sandbox.protocol.PeerNotReadingException;
import org.sallyport.sandbox.protocol.ProtocolException;

/** One worker process, from its start until all its sessions and script checks were notified of their end. */
final class Worker {
    private static final long START_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Longer than the worker's own limit, which counts CPU time and thus may take longer on a busy machine. */
    private static final long CHECK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long SILENCE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** On a busy machine, a worker that collects garbage may read nothing for seconds. */
    private static final long WRITE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String NOT_READING = "it did not read its socket";
    /** A session that allocated less than this part of another one did not exhaust the memory. */
    private static final int FAR_LESS = 8;

    private static final SessionResult.SessionLost OUT_OF_MEMORY = new SessionResult.SessionLost(
            SessionResult.SessionLossReason.OUT_OF_MEMORY,
            "The memory of the worker was used up while the script computed in it");
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private final WorkerSandbox pool;
    private final Map<Long, RemoteSession> sessions = new ConcurrentHashMap<>();
    private final Map<Long, RemoteScriptCheck> checks = new ConcurrentHashMap<>();
    private final WorkerToolboxes toolboxes = new WorkerToolboxes();
    private final WorkerHeartbeat heartbeat = new WorkerHeartbeat();
    private final AtomicBoolean exited = new AtomicBoolean();
    private volatile long lastCheckNanos = System.nanoTime();

    private volatile @Nullable StartedWorkerProcess startedProcess;
    private volatile @Nullable FrameChannel channel;
    private volatile @Nullable String killReason;
    private volatile @Nullable RemoteSession killedForSession;
    private volatile boolean closing;

    Worker(WorkerSandbox pool) {
        this.pool = pool;
    }

    /** Attaches the started process. */
    void attachProcess(StartedWorkerProcess process) {
        startedProcess = process;
        var unused = process.process().onExit().thenRun(() -> {
            // Until the worker connects, no thread reads from it, so its exit is handled here.
            if (channel == null) {
                handleExit(lostResult(
                        SessionResult.SessionLossReason.WORKER_LOST, "The worker ended before it was ready"));
            }
        });
        if (killReason != null) {
            process.kill();
        }
    }

    /** Returns whether the worker should be replaced. */
    boolean needsReplacement() {
        return heartbeat.needsReplacement() || toolboxes.isFull();
    }

    /** Reads frames until the worker is gone. The calling thread also notifies all its sessions. */
    void readFrames(FrameChannel connected) {
        DaemonThreads.newThread("sallyport-worker-writer", () -> writeFrames(connected))
                .start();
        channel = connected;
        SessionResult.SessionLost why;
        try {
            pool.workerReady(this);
            while (true) {
                Frame frame = connected.receive();
                heartbeat.messageReceived();
                handleFrame(frame);
            }
        } catch (ProtocolException violation) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "a worker violated the frame protocol and is killed:" + " {0}",
                    violation.getMessage());
            kill("it violated the frame protocol");
            why = lostResult(
                    SessionResult.SessionLossReason.PROTOCOL_VIOLATION, "The worker violated the frame protocol");
        } catch (IOException socketEnded) {
            String reason = killReason;
            why = lostResult(
                    SessionResult.SessionLossReason.WORKER_LOST,
                    reason == null ? "The worker process ended" : "The worker process was ended: " + reason);
        } catch (RuntimeException failure) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "a frame of a worker could not be handled; the worker is" + " killed",
                    failure);
            kill("the server failed to handle its frame");
            why = lostResult(
                    SessionResult.SessionLossReason.WORKER_LOST,
                    "The server failed to handle a frame of the" + " worker");
        }
        connected.close();
        handleExit(why);
    }

    /** Writes the frames for the worker until the channel closes: the only thread that waits for the worker to read. */
    private void writeFrames(FrameChannel connected) {
        try {
            connected.writeOffered();
        } catch (IOException failure) {
            connectionBroken(failure);
        } catch (RuntimeException | OutOfMemoryError failure) {
            writeFailed(failure);
        }
    }

    /** Starts a session in the worker; does not wait for the worker. */
    void execute(RemoteSession session, long number) {
        sessions.put(number, session);
        FrameChannel connected = channel;
        if (exited.get() || connected == null) {
            // The task has not started, so another worker may take it, unless handleExit already notified it.
            if (sessions.remove(number) != null) {
                pool.schedule(session);
            }
            return;
        }
        var request = session.request();
        try {
            long menu = toolboxes.sendIfNew(connected, request.toolbox());
            connected.offer(new Frame.ExecuteFrame(
                    number,
                    request.script(),
                    request.args(),
                    request.context(),
                    request.limits(),
                    menu,
                    request.env(),
                    request.debugMode(),
                    request.replayState(),
                    request.parkAfterMillis()));
        } catch (IOException failure) {
            connectionBroken(failure);
        } catch (RuntimeException | OutOfMemoryError failure) {
            writeFailed(failure);
            throw failure;
        }
    }

    void check(RemoteScriptCheck check, long number) {
        checks.put(number, check);
        if (exited.get()) {
            if (checks.remove(number) != null) {
                pool.schedule(check);
            }
            return;
        }
        send(check.toFrame(number));
    }

    /** Sends a frame after all earlier ones; does not wait for the worker. */
    void send(Frame.WorkerBoundFrame frame) {
        FrameChannel connected = channel;
        if (connected == null) {
            return;
        }
        try {
            connected.offer(frame);
        } catch (IOException failure) {
            connectionBroken(failure);
        } catch (RuntimeException | OutOfMemoryError failure) {
            writeFailed(failure);
            throw failure;
        }
    }

    /** Kills the worker because of one session; only this session becomes a suspect. See {@link #kill(String)}. */
    void killFor(RemoteSession session, String because) {
        if (killReason == null) {
            killedForSession = session;
        }
        kill(because);
    }

    /** Requests a stop and kills the process 200 ms later. The reader thread notifies its sessions. */
    void kill(String because) {
        if (killReason == null) {
            killReason = because;
        }
        pool.retireWorker(this);
        StartedWorkerProcess process = startedProcess;
        if (process != null) {
            process.requestStop();
            pool.runLater(process::kill, 200);
        }
        FrameChannel connected = channel;
        if (connected != null) {
            // Closes the channel so that a process that still does not exit cannot keep its sessions.
            pool.runLater(connected::close, 500);
        }
    }

    /** Kills the process without a grace period. */
    void killAtOnce() {
        killReason = killReason == null ? "it was not needed any more" : killReason;
        StartedWorkerProcess process = startedProcess;
        if (process != null) {
            process.kill();
        }
    }

    /** Kills the process because the pool closes. Its sessions end as unavailable. */
    void close() {
        closing = true;
        killAtOnce();
    }

    /** Kills a worker that does not connect, does not read, sends no heartbeats or checks one script for too long. */
    void checkHealth(long now) {
        if (killReason != null) {
            return;
        }
        FrameChannel connected = channel;
        if (connected == null) {
            if (heartbeat.silentNanos(now) > START_TIMEOUT_NANOS) {
                kill("it did not connect in time");
            }
            return;
        }
        long waiting = connected.writeBlockedSince();
        if (waiting != 0 && now - waiting > WRITE_TIMEOUT_NANOS) {
            kill(NOT_READING);
        } else if (!sessions.isEmpty() && heartbeat.silentNanos(now) > SILENCE_TIMEOUT_NANOS) {
            kill("it sent no heartbeat");
        } else if (checkingNanos(now) > CHECK_TIMEOUT_NANOS) {
            kill("it took too long to check a script");
        }
    }

    /** Returns the nanoseconds since the worker began its current check. Workers check scripts one by one, in order. */
    private long checkingNanos(long now) {
        RemoteScriptCheck first = currentCheck();
        return first == null ? 0 : Math.min(now - first.startedNanos(), now - lastCheckNanos);
    }

    private @Nullable RemoteScriptCheck currentCheck() {
        return checks.entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .orElse(null);
    }

    /** Returns how many of its sessions were computing at the last heartbeat. */
    int computingCount() {
        return heartbeat.allocatedBySession().size();
    }

    /** Restarts the silence timeout when an idle worker gets work: an idle worker sends no heartbeats. */
    void resetSilenceIfIdle() {
        if (sessions.isEmpty()) {
            heartbeat.messageReceived();
        }
    }

    private void handleFrame(Frame frame) throws ProtocolException {
        if (frame instanceof Frame.ToolCallFrame call) {
            requireSession(call.session()).handleToolCall(call);
        } else if (frame instanceof Frame.ReserveFrame reservation) {
            requireSession(reservation.session()).handleReservation(reservation);
        } else if (frame instanceof Frame.OutputFrame output) {
            requireSession(output.session()).handleOutput(output);
        } else if (frame instanceof Frame.SessionResultFrame done) {
            requireSession(done.session()).handleResult(done.result());
            sessions.remove(done.session());
            pool.taskFinished(this);
        } else if (frame instanceof Frame.ReplayLogFrame recorded) {
            requireSession(recorded.session()).handleReplayLog(recorded.log());
        } else if (frame instanceof Frame.OutputTruncatedFrame full) {
            requireSession(full.session()).handleOutputTruncated(full.stream());
        } else if (frame instanceof Frame.BlockedAccessFrame blocked) {
            requireSession(blocked.session()).handleBlockedAccess(blocked.counts());
        } else if (frame instanceof Frame.DebuggerReadyFrame inspectable) {
            requireSession(inspectable.session()).handleDebuggerReady(inspectable);
        } else if (frame instanceof Frame.ProfileFrame profiled) {
            requireSession(profiled.session()).handleProfile(profiled);
        } else if (frame instanceof Frame.ProgressFrame progress) {
            requireSession(progress.session()).handleProgress(progress);
        } else if (frame instanceof Frame.CheckResultFrame checked) {
            RemoteScriptCheck check = checks.get(checked.check());
            lastCheckNanos = System.nanoTime();
            if (check == null) {
                throw new ProtocolException("result of an unknown script check");
            }
            check.complete(checked.checked());
            checks.remove(checked.check());
            pool.taskFinished(this);
        } else if (frame instanceof Frame.HeartbeatFrame beat) {
            heartbeat.heartbeatReceived(beat);
        } else {
            throw new ProtocolException("frames of this type are not sent by workers");
        }
    }

    private RemoteSession requireSession(long number) throws ProtocolException {
        RemoteSession session = sessions.get(number);
        if (session == null) {
            throw new ProtocolException("frame of an unknown session");
        }
        return session;
    }

    /** A frame may be missing, so the worker cannot go on. */
    private void writeFailed(Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "a frame for a worker could not be written; the worker is killed", failure);
        kill("the server failed to write to it");
    }

    private void connectionBroken(IOException failure) {
        if (failure instanceof FrameTooLargeException) {
            LOG.log(System.Logger.Level.ERROR, "a frame was too large to send; the worker is killed");
        }
        kill(failure instanceof PeerNotReadingException ? NOT_READING : "its connection failed");
    }

    private void handleExit(SessionResult.SessionLost cause) {
        // Retire first: a notified listener may start another session at once, which must not be assigned to this
        // worker.
        pool.retireWorker(this);
        if (!exited.compareAndSet(false, true)) {
            return;
        }
        SessionResult.SessionLost why = closing ? WorkerScheduler.noWorkerResult() : cause;
        boolean ofMemory = why.reason() == SessionResult.SessionLossReason.WORKER_LOST && ranOutOfMemory();
        Set<RemoteSession> suspects = findSuspects();
        Set<RemoteSession> smallAllocators = Set.of();
        SessionResult forSuspects = asSuspect(why);
        Optional<RemoteSession> hog = ofMemory ? findMemoryHog(suspects) : Optional.empty();
        if (hog.isPresent()) {
            suspects = Set.of(hog.get());
            forSuspects = new SessionResult.SessionLimitReached(
                    SessionResult.SessionLimitType.MEMORY,
                    "The script used up all memory of its worker; keep less data in memory at one time");
        } else if (ofMemory) {
            smallAllocators = findSmallAllocators(suspects);
            forSuspects = asSuspect(OUT_OF_MEMORY);
        }
        if (!closing && !sessions.isEmpty()) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "a worker was lost with {0} sessions, of which {1} may be the cause: {2}",
                    sessions.size(),
                    suspects.size(),
                    ofMemory ? OUT_OF_MEMORY.message() : why.message());
        }
        for (Long number : List.copyOf(sessions.keySet())) {
            RemoteSession session = sessions.remove(number);
            if (session == null) {
                continue;
            }
            if (smallAllocators.contains(session)) {
                session.onWorkerLost(OUT_OF_MEMORY);
            } else {
                session.onWorkerLost(suspects.contains(session) ? forSuspects : why);
            }
        }
        boolean perhapsByReading = killedForSession == null && (suspects.isEmpty() || !ofMemory);
        RemoteScriptCheck read = perhapsByReading ? currentCheck() : null;
        List<RemoteScriptCheck> unread = List.copyOf(checks.keySet()).stream()
                .map(checks::remove)
                .filter(java.util.Objects::nonNull)
                .toList();
        pool.workerExited(this);
        unread.forEach(check -> check.onWorkerLost(check == read ? asSuspect(why) : why));
        StartedWorkerProcess process = startedProcess;
        if (process != null) {
            process.killAndDelete();
        }
    }

    /** Returns the sessions that may have been computing when the worker died, or only the known culprit. */
    private Set<RemoteSession> findSuspects() {
        RemoteSession known = killedForSession;
        if (known != null) {
            return Set.of(known);
        }
        return sessions.values().stream()
                .filter(each -> each.hasSentSince(heartbeat.lastHeartbeatNanos()) || isComputing(each))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the session that exhausted the memory: the only session of the worker, or the suspect that allocated
     * most, if that is more than its heap limit. When the memory was exhausted at once, the last heartbeat is outdated;
     * then no session is blamed for the little that it had allocated before.
     */
    private Optional<RemoteSession> findMemoryHog(Set<RemoteSession> suspects) {
        if (sessions.size() == 1 && (checks.isEmpty() || !suspects.isEmpty())) {
            return sessions.values().stream().findFirst();
        }
        Map<Long, Long> allocated = heartbeat.allocatedBySession();
        return suspects.stream()
                .max(Comparator.comparingLong(each -> allocated.getOrDefault(each.number(), 0L)))
                .filter(largest -> allocated.getOrDefault(largest.number(), 0L) << 20
                        > largest.request().limits().heapBytes());
    }

    /**
     * Returns the suspects that allocated far less than another one. Returns none if all suspects together had
     * allocated less than half of the heap at the last heartbeat: then one of them allocated much after it. A heartbeat
     * lists only computing sessions, so those that it does not list count as small.
     */
    private Set<RemoteSession> findSmallAllocators(Set<RemoteSession> suspects) {
        Map<Long, Long> allocated = heartbeat.allocatedBySession();
        LongSummaryStatistics megabytes = suspects.stream()
                .mapToLong(each -> allocated.getOrDefault(each.number(), 0L))
                .summaryStatistics();
        if (megabytes.getSum() < pool.heapMegabytes() / 2) {
            return Set.of();
        }
        return suspects.stream()
                .filter(each -> allocated.getOrDefault(each.number(), 0L) < megabytes.getMax() / FAR_LESS)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static SessionResult asSuspect(SessionResult.SessionLost lost) {
        return new SessionResult.SessionLost(lost.reason(), lost.message(), true);
    }

    /** Returns whether the session was computing at the last heartbeat. */
    boolean isComputing(RemoteSession session) {
        return heartbeat.allocatedBySession().containsKey(session.number());
    }

    private boolean ranOutOfMemory() {
        StartedWorkerProcess process = startedProcess;
        // A frame that is written meanwhile fails, and is then the reason of a kill that finds the process gone.
        return killedForSession == null && process != null && process.ranOutOfMemory();
    }

    private static SessionResult.SessionLost lostResult(SessionResult.SessionLossReason reason, String message) {
        return new SessionResult.SessionLost(reason, message);
    }
}
