package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.OutcomeMapper.StopReason;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.variable.VariablesUnreadableException;

/**
 * One run of one execution on this node. Holds no thread: callbacks of the sandbox and the bridge are buffered at once,
 * and work that may wait for the store or the broker runs in order on a shared executor. Thread-safe.
 */
final class ExecutionRun implements SessionListener {
    private static final Logger LOG = System.getLogger(ExecutionRun.class.getName());
    /**
     * The sandbox guarantees to end a cancelled session within two seconds. After this timeout the run ends without it.
     */
    private static final long CANCEL_TIMEOUT_MILLIS = 4_000;

    /** Ten times what a busy worker needs to send its longest result. */
    private static final long RESULT_TIMEOUT_MILLIS = 60_000;

    /** How often the run tries to map the session's end to an outcome, and to read the journal. */
    private static final int MAX_TRIES = 2;

    /** Park threshold while this node is short of slots. */
    private static final Duration EARLY_PARK_DELAY = Duration.ofSeconds(1);

    private final ExecutionId id;
    private final EngineServices context;
    private final WorkerLossPolicy workerLossPolicy;
    private final Map<Long, Optional<CompletionStage<ToolReply>>> inFlight;
    private final RunListener runListener;
    private final SerialExecutor tasks;
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private volatile StopReason stopReason = StopReason.NONE;
    /** Completed when the run is stopped or abandoned. */
    private final CompletableFuture<Void> stopRequested = new CompletableFuture<>();
    /** Stops the script when its time is over. Guarded by this. */
    private @Nullable ScheduledFuture<?> deadline;

    private volatile @Nullable ScheduledFuture<?> resultTimeout;

    private volatile boolean parksEarly;
    private volatile Duration handoverTimeout = Duration.ZERO;
    /** Whether another node may own the execution. */
    private volatile boolean abandoned;
    /** True while a stopping node releases this execution. */
    private volatile boolean handingOver;

    private final AtomicBoolean sessionEnded = new AtomicBoolean();
    private final CompletableFuture<StartedRun> startedRun = new CompletableFuture<>();
    private volatile @Nullable String divergence;
    private volatile @Nullable String planViolation;

    /**
     * Besides {@link #onReplayed}, receives exactly one callback, after all entries of the run are written or the run
     * has lost its execution.
     */
    interface RunListener {
        /** The execution has ended. */
        void onFinished();

        /** Another node owns the execution, or it is free to be claimed. */
        void onReleased();

        /** The execution, which has lost a node before, has replayed its journal and continues. Must not block. */
        void onReplayed(FencingToken fence);

        /** The execution is parked and will be resumed on this node. */
        void onParked(ParkedRun dormant);

        /**
         * The execution was released, to be claimed again and continued.
         *
         * @param inFlight pending replies by call ordinal; empty for a call that was never sent
         */
        void onRetry(WorkerLossPolicy chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight);
    }

    /** @param inFlight pending replies to calls that an earlier run on this node sent */
    ExecutionRun(
            ExecutionId id,
            EngineServices context,
            WorkerLossPolicy chance,
            Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
            RunListener afterwards) {
        this.id = id;
        this.inFlight = inFlight;
        this.context = context;
        this.workerLossPolicy = chance;
        this.runListener = afterwards;
        this.tasks = new SerialExecutor(context.executor());
    }

    /**
     * Begins the wait of a claimed execution for its start. Its time passes meanwhile.
     *
     * @param onStop called when the run is stopped or abandoned, so that the caller starts it at once; must not block
     */
    void awaitTurn(ClaimedExecution claim, Runnable onStop) {
        tasks.moveTo(context.tenantExecutors().of(claim.tenant()));
        deadline(claim);
        stopRequested.thenRun(onStop);
    }

    /** Returns the task that stops the script when its time is over. The time begins with the first call. */
    private synchronized ScheduledFuture<?> deadline(ClaimedExecution claim) {
        ScheduledFuture<?> task = deadline;
        if (task == null) {
            StopReason late = claim.endsAtDeadline() ? StopReason.DEADLINE : StopReason.TIME_OUT;
            task = context.scheduler()
                    .schedule(() -> stop(late), Math.max(1, claim.remainingMillis()), TimeUnit.MILLISECONDS);
            deadline = task;
        }
        return task;
    }

    private synchronized void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    /**
     * Starts the session of a claimed execution. If the session cannot be started, the execution fails. If the run was
     * stopped before, it ends without a session. Waits while the store is unavailable. If this method throws, nothing
     * was started or written, and the caller releases the claim.
     *
     * @param leaseOwner the lease owner of this node
     * @param ahead how far the store's clock is ahead of this node's clock; the script sees the same time on all nodes
     */
    void start(ClaimedExecution claim, String leaseOwner, Duration ahead) {
        tasks.moveTo(context.tenantExecutors().of(claim.tenant()));
        JournalBuffer entries = JournalBuffer.of(claim, context);
        RunEndWriter endWriter = new RunEndWriter(claim, context, entries, tasks);
        if (stopRequested.isDone()) {
            endUnstarted(claim, endWriter);
            return;
        }
        entries.addStateChange(ExecutionState.RUNNING, claim.fence().attempt());
        JournalWriter writer = new JournalWriter(
                claim,
                context,
                entries,
                tasks,
                () -> sessionEnded.get() && !handingOver,
                this::ownershipLost,
                this::stopAfterFault);
        Optional<String> refusal = refusalOfProcess(claim);
        if (refusal.isPresent()) {
            failUnstarted(endWriter, ErrorCode.SANDBOX_NOT_ALLOWED, refusal.get());
            return;
        }
        Optional<Json> env;
        Optional<ReplayLoader> repetition;
        try {
            // Before the output redactor is created: it must know the values that came from secrets.
            env = readVariables(claim);
            repetition = env.isEmpty() ? Optional.empty() : loadReplay(claim);
            repetition.ifPresent(loaded -> prepare(claim, leaseOwner, entries, writer, endWriter, loaded));
        } catch (StoreUnavailableException e) {
            cancelDeadline();
            throw e; // another run may succeed
        } catch (VariablesUnreadableException e) {
            LOG.log(Level.ERROR, "execution {0} could not be started: {1}", claim.fence(), e.getMessage());
            failUnstarted(endWriter, ErrorCode.INTERNAL_ERROR, "its variables cannot be decrypted on this node");
            return;
        } catch (RuntimeException | StackOverflowError e) {
            // Fail at once: the next run would hit the same error, and the execution would stay unfinished until its
            // time limit.
            LOG.log(Level.ERROR, "execution " + claim.fence() + " could not be started", e);
            failUnstarted(endWriter, ErrorCode.INTERNAL_ERROR, "its earlier calls could not be read");
            return;
        }
        if (env.isEmpty() || repetition.isEmpty()) {
            leaveUnstarted();
            return;
        }
        // Before the session, whose end may start the next run of this execution.
        if (repetition.get().replay().isComplete()) {
            replayEnded(claim);
        }
        startSession(
                claim,
                env.get(),
                repetition.get().recordingFound(),
                repetition.get().replayState().withClockOffset(ahead.toMillis()));
    }

    private void replayEnded(ClaimedExecution claim) {
        if (claim.nodeLosses() > 0) {
            runListener.onReplayed(claim.fence());
        }
    }

    /** Reads the variables. Returns empty when the run was abandoned or interrupted meanwhile. */
    private Optional<Json> readVariables(ClaimedExecution claim) {
        return claim.variables()
                .map(pinned -> StoreRetry.callWhileUnavailable(
                        () -> context.variables().read(claim.tenant(), pinned), () -> abandoned))
                .orElse(Optional.of(Json.EMPTY_OBJECT));
    }

    /**
     * Loads the calls and replies to replay. Retries after the first error, which may be a transient fault of the
     * platform. Returns empty when the run was abandoned or interrupted meanwhile.
     */
    private Optional<ReplayLoader> loadReplay(ClaimedExecution claim) {
        for (int tries = 1; tries < MAX_TRIES; tries++) {
            try {
                return ReplayLoader.load(claim, context.journal(), () -> abandoned);
            } catch (RuntimeException | StackOverflowError e) {
                LOG.log(Level.WARNING, "execution " + claim.fence() + ": its journal could not be read", e);
            }
        }
        return ReplayLoader.load(claim, context.journal(), () -> abandoned);
    }

    /** Ends a run that was stopped or abandoned before it started. Its journal has no entry of it. */
    private void endUnstarted(ClaimedExecution claim, RunEndWriter endWriter) {
        if (abandoned) {
            leaveUnstarted();
        } else if (stopReason == StopReason.SHUTDOWN) {
            releaseUnstarted(endWriter);
        } else {
            finishUnstarted(
                    endWriter,
                    OutcomeMapper.toOutcome(new SessionResult.SessionCancelled(), stopReason, claim.limits()));
        }
    }

    private void releaseUnstarted(RunEndWriter endWriter) {
        sessionEnded.set(true);
        cancelDeadline();
        tasks.execute(() -> endWriter.release(
                result -> {
                    if (result == ReleaseResult.CANCEL_REQUESTED) {
                        finishUnstarted(endWriter, new ExecutionOutcome.ExecutionCancelled());
                    } else {
                        runListener.onReleased();
                    }
                },
                () -> failUnstarted(
                        endWriter, ErrorCode.INTERNAL_ERROR, "it could not be released by a node that stops")));
    }

    /** Ends a run that did not start because it was abandoned or its thread was interrupted. */
    private void leaveUnstarted() {
        cancelDeadline();
        if (!abandoned) {
            throw new IllegalStateException("execution " + id + " was interrupted while it was being started");
        }
        sessionEnded.set(true);
        runListener.onReleased();
    }

    /**
     * Returns why this node must not run a capability that was published for a process of its own; empty if it may. A
     * node that does not run a capability in its own process runs it in a worker, which is safer.
     */
    private Optional<String> refusalOfProcess(ClaimedExecution claim) {
        Optional<CapabilitySandbox> process = claim.sandbox().filter(CapabilitySandbox.PROCESS::equals);
        return context.sandboxes().refusalReason(claim.tenant(), process);
    }

    private void failUnstarted(RunEndWriter endWriter, ErrorCode code, String reason) {
        finishUnstarted(endWriter, OutcomeMapper.failed(code, "the script could not be started: " + reason));
    }

    private void finishUnstarted(RunEndWriter endWriter, ExecutionOutcome outcome) {
        sessionEnded.set(true);
        cancelDeadline();
        tasks.execute(() -> endWriter.finish(outcome, ended -> {
            if (ended) {
                inFlight.forEach((call, coming) ->
                        coming.ifPresent(any -> context.bridge().cancel(new CallId(id.toString(), call))));
            }
            runListener.onFinished();
        }));
    }

    private void prepare(
            ClaimedExecution claim,
            String leaseOwner,
            JournalBuffer entries,
            JournalWriter writer,
            RunEndWriter endWriter,
            ReplayLoader repetition) {
        entries.addReplayLog(repetition.unjournaledLog());
        PendingCalls calls = new PendingCalls(
                claim,
                context,
                entries,
                session,
                task -> tasks.execute(() -> runOrStop(task)),
                writer,
                new ReplayContext(
                        repetition.replay(),
                        inFlight,
                        this::replayDiverged,
                        () -> stop(StopReason.RECORDING_GONE),
                        () -> replayEnded(claim)),
                new PlanGuard(claim, context.journal(), this::planViolated));
        RunOutput output = new RunOutput(
                entries,
                new OutputRedactor(
                        () -> context.redactionProvider().redactorFor(claim.tenant()),
                        () -> context.redactionProvider().cachedRedactorFor(claim.tenant())),
                context.clock(),
                () -> stopReason == StopReason.SHUTDOWN && claim.durability() == Durability.JOURNAL,
                writer::scheduleFlush);
        boolean parks = SessionRequestFactory.parkMillis(claim, context) > 0;
        startedRun.complete(
                new StartedRun(claim, leaseOwner, parks, entries, calls, writer, endWriter, output, deadline(claim)));
    }

    private void startSession(ClaimedExecution claim, Json env, boolean complete, ReplayState past) {
        if (!complete) {
            stop(StopReason.RECORDING_GONE);
            onEnded(new SessionResult.SessionCancelled());
            return;
        }
        try {
            // Attach the session before the sandbox returns it: the script may make calls, and receive replies, while
            // the sandbox is still starting it.
            DeferredSession starting = new DeferredSession();
            session.complete(starting);
            starting.attach(context.sandbox()
                    .start(
                            SessionRequestFactory.create(claim, env, past, context, workerLossPolicy.needsOwnWorker()),
                            this));
        } catch (RuntimeException | Error e) {
            // Also an error: the claim is written, so that the run must end.
            LOG.log(Level.ERROR, "execution " + claim.fence() + ": its session could not be started", e);
            onEnded(new SessionResult.SessionLost(
                    SessionResult.SessionLossReason.UNAVAILABLE, "the sandbox could not start the script"));
        }
    }

    /** Stops the run: the script does not repeat its earlier calls, so their recorded replies do not fit. */
    private void replayDiverged(String how) {
        divergence = how;
        stop(StopReason.DIVERGED);
    }

    /** Stops the run: the script would have an effect that is not in the approved plan. */
    private void planViolated(String how) {
        planViolation = how;
        stop(StopReason.OUTSIDE_PLAN);
    }

    /** Runs a task for calls of the script. If it fails, the call may never be answered, so the script is stopped. */
    private void runOrStop(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "execution " + id + ": a call could not be processed; the execution fails", e);
            stopAfterFault();
        }
    }

    /** Stops the script because this node cannot run it properly; the execution fails with an internal error. */
    private void stopAfterFault() {
        stop(StopReason.INTERNAL_ERROR);
    }

    /** Stops the script. Only the first reason counts. May be called before {@link #start}. */
    void stop(StopReason reason) {
        synchronized (this) {
            if (stopReason == StopReason.NONE) {
                stopReason = reason;
            }
        }
        stopRequested.complete(null);
        session.thenAccept(live -> {
            live.cancel();
            if (!sessionEnded.get()) {
                context.scheduler().schedule(this::forceEnd, CANCEL_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    /**
     * Stops the script so that another node can continue it. The execution is released once its sent effects are
     * answered, or after {@code timeout}.
     */
    void stopForHandover(Duration timeout) {
        handoverTimeout = timeout;
        stop(StopReason.SHUTDOWN);
    }

    /**
     * Stops the script and writes nothing, because another node owns the execution. May be called before {@link
     * #start}.
     */
    void abandon() {
        abandoned = true;
        stopRequested.complete(null);
        startedRun.thenRun(this::ownershipLost);
    }

    private void forceEnd() {
        if (!sessionEnded.get()) {
            LOG.log(Level.ERROR, "execution {0}: the sandbox did not end the session in time", id);
            onEnded(new SessionResult.SessionCancelled());
        }
    }

    @Override
    public CompletionStage<?> reserveArguments(long call, int chars) {
        return startedRun.join().calls().reserveArguments(call, chars);
    }

    /** A script that has returned is not late while its result waits for memory. */
    @Override
    public CompletionStage<?> reserveResult(int chars) {
        StartedRun run = startedRun.join();
        run.deadline().cancel(false);
        Executor executor = context.tenantExecutors().of(run.claim().tenant());
        return run.entries().memory().reserveResult(chars, executor).thenRun(this::awaitResult);
    }

    /** Stops a session whose result does not arrive after the memory for it was reserved. */
    private void awaitResult() {
        resultTimeout =
                context.scheduler().schedule(this::stopAfterFault, RESULT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        if (sessionEnded.get()) {
            cancelTimers(startedRun.join());
        }
    }

    private void cancelTimers(StartedRun run) {
        run.deadline().cancel(false);
        ScheduledFuture<?> timeout = resultTimeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    @Override
    public void onToolCall(long call, String backend, String tool, String arguments) {
        if (sessionEnded.get()) {
            return; // an abandoned session may still send callbacks
        }
        StartedRun run = startedRun.join();
        run.calls().callStarted(call, new ToolName(backend, tool), arguments);
        run.writer().scheduleFlush();
    }

    @Override
    public void onOutput(OutputStreamKind stream, String text) {
        startedRun.join().output().add(stream == OutputStreamKind.OUT ? OutputKind.OUT : OutputKind.ERR, text);
    }

    @Override
    public void onOutputTruncated(OutputStreamKind stream) {
        startedRun.join().entries().markTruncated();
    }

    @Override
    public void onProgress(double fraction, String text) {
        StartedRun run = startedRun.join();
        run.entries()
                .setProgress(new ExecutionProgress(
                        (int) Math.round(fraction * 1_000), run.output().redact(text)));
        run.writer().scheduleFlush();
    }

    @Override
    public void onReplayLog(String log) {
        StartedRun run = startedRun.join();
        run.entries().addReplayLog(log);
        // Flush soon: no event may follow until the end of a long wait.
        run.writer().scheduleFlush();
    }

    @Override
    public void onBlockedAccess(List<BlockedAccess> counts) {
        StartedRun run = startedRun.join();
        run.entries()
                .setReportedAttempts(counts.stream()
                        .map(each -> new BlockedAttempts.BlockedAttemptCount(
                                each.kind() == BlockedAccess.BlockedAccessKind.MODULE
                                        ? BlockedAttempts.BlockedAttemptKind.MODULE
                                        : BlockedAttempts.BlockedAttemptKind.GLOBAL,
                                run.output().redact(each.name()),
                                each.count()))
                        .toList());
    }

    @Override
    public void onDebuggerReady(String url) {
        DebugReport.printDebuggerUrl(url, text -> onOutput(OutputStreamKind.ERR, text));
    }

    @Override
    public void onProfile(String profile) {
        StartedRun run = startedRun.join();
        tasks.execute(() -> DebugReport.storeProfile(profile, run.claim().fence(), context.artifacts()));
    }

    @Override
    public void onEnded(SessionResult end) {
        StartedRun run = startedRun.join();
        // Set this before the session counts as ended, so that a call that is being dispatched now is still sent.
        boolean givenBack = isHandover(run, end);
        handingOver |= givenBack && !sessionEnded.get();
        if (!sessionEnded.compareAndSet(false, true)) {
            return;
        }
        cancelTimers(run);
        run.calls().stop(givenBack);
        // The tasks run in order: a call that was being dispatched has been sent by then, or never will be.
        tasks.execute(() -> handleSessionEnd(run, end));
    }

    /** Returns whether another node, or this node after a restart, is to continue the execution from its journal. */
    private boolean isHandover(StartedRun run, SessionResult end) {
        return stopReason == StopReason.SHUTDOWN
                && (end instanceof SessionResult.SessionCancelled
                        || end instanceof SessionResult.SessionLost
                        || end instanceof SessionResult.SessionParked)
                && run.claim().durability() == Durability.JOURNAL;
    }

    private void handleSessionEnd(StartedRun run, SessionResult end) {
        boolean givenBack = isHandover(run, end);
        if (!givenBack) {
            run.output().addHeldBack();
        }
        RunRelease releasing = new RunRelease(id, run, context, tasks, runListener, outcome -> finish(run, outcome));
        if (end instanceof SessionResult.SessionParked parked
                && (stopReason == StopReason.NONE || stopReason == StopReason.SHUTDOWN)) {
            Optional<WaitConditions> waits = run.calls().waitConditions(parked);
            if (givenBack && waits.filter(all -> all.replies().isEmpty()).isEmpty()) {
                releasing.release(handoverTimeout);
            } else {
                waits.ifPresentOrElse(
                        all -> releasing.park(all, workerLossPolicy), () -> releasing.restart(workerLossPolicy));
            }
            return;
        } else if (givenBack) {
            releasing.release(handoverTimeout);
            return;
        }
        boolean another = end instanceof SessionResult.SessionLost lost
                && (lost.reason() == SessionResult.SessionLossReason.WORKER_LOST
                        || lost.reason() == SessionResult.SessionLossReason.OUT_OF_MEMORY)
                && stopReason == StopReason.NONE;
        if (!another) {
            finish(run, outcomeOrInternalError(run, end));
            return;
        }
        WorkerLossPolicy.RetryDecision verdict =
                workerLossPolicy.decide((SessionResult.SessionLost) end, isRepeatable(run));
        if (verdict instanceof WorkerLossPolicy.RetryDecision.RetryRefused failed) {
            finish(run, failed.outcome());
        } else if (verdict instanceof WorkerLossPolicy.RetryDecision.RetryAllowed retry) {
            LOG.log(
                    Level.INFO,
                    "execution {0} lost its worker and runs again",
                    run.claim().fence());
            releasing.restart(retry.next());
        }
    }

    /**
     * Lowers the park threshold because slots are scarce. Returns whether this call lowered it; false if the run cannot
     * be parked or its threshold is already lowered.
     */
    boolean parkIdle() {
        if (parksEarly
                || !startedRun.isDone()
                || sessionEnded.get()
                || !startedRun.join().canPark()) {
            return false;
        }
        parksEarly = true;
        session.thenAccept(live -> live.lowerParkThreshold(earlyParkDelay().toMillis()));
        return true;
    }

    private Duration earlyParkDelay() {
        Duration usual = context.limits().parkAfter();
        return usual.compareTo(EARLY_PARK_DELAY) < 0 ? usual : EARLY_PARK_DELAY;
    }

    /**
     * Polls the decisions on open approvals, and reports calls that have waited long to the sandbox so that it may park
     * the script.
     */
    void poll() {
        if (!startedRun.isDone() || sessionEnded.get()) {
            return;
        }
        StartedRun run = startedRun.join();
        if (run.canPark()) {
            run.calls()
                    .postponeLongWaits(
                            parksEarly ? earlyParkDelay() : context.limits().parkAfter());
        }
        if (run.calls().awaitsApprovals()) {
            tasks.execute(() -> {
                try {
                    run.calls().pollDecisions();
                } catch (StoreUnavailableException e) {
                    LOG.log(
                            Level.DEBUG,
                            "execution {0}: approvals could not be read; the next poll does: {1}",
                            id,
                            e.getMessage());
                }
            });
        }
    }

    /**
     * Returns whether the script can run again without repeating effects. Without a journal the effects of earlier
     * calls are unknown.
     */
    private static boolean isRepeatable(StartedRun run) {
        return run.claim().durability() == Durability.JOURNAL || !run.calls().hasCalled();
    }

    /**
     * Maps the session's end to an outcome, and to an internal error if the mapping keeps failing: the execution must
     * end and free its slot. Retries once, because a first error may be a fault of the platform, such as a class that
     * cannot be loaded at that moment, and not of the script.
     */
    private ExecutionOutcome outcomeOrInternalError(StartedRun run, SessionResult end) {
        for (int tries = 1; tries <= MAX_TRIES; tries++) {
            try {
                return outcome(run, end);
            } catch (RuntimeException | StackOverflowError e) {
                LOG.log(Level.ERROR, "execution " + run.claim().fence() + ": its outcome could not be determined", e);
            }
        }
        return OutcomeMapper.failed(ErrorCode.INTERNAL_ERROR, "the outcome of the script could not be determined");
    }

    private ExecutionOutcome outcome(StartedRun run, SessionResult end) {
        String outside = planViolation;
        if (outside != null) {
            return OutcomeMapper.failed(ErrorCode.OUTSIDE_PLAN, outside);
        }
        boolean ownEnd = end instanceof SessionResult.ScriptReturned || end instanceof SessionResult.ScriptThrew;
        String how = divergence != null || !ownEnd
                ? divergence
                : run.calls().firstUnmatchedCall().orElse(null);
        return how != null
                ? OutcomeMapper.diverged(how, run.claim().rerun().isPresent())
                : OutcomeMapper.checkOutputSchema(
                        OutcomeMapper.toOutcome(end, stopReason, run.claim().limits()),
                        run.claim().outputSchema());
    }

    private void finish(StartedRun run, ExecutionOutcome outcome) {
        List<CallId> open = run.calls().close();
        run.output().flush();
        // Shortened after the redaction, which must see whole secrets.
        ExecutionOutcome stored = OutcomeMapper.withShortTexts(run.output().redact(outcome));
        run.endWriter().finish(withSavedScript(run.claim(), stored), ended -> {
            if (ended) {
                // Cancel only after the end is stored: if another run has taken the execution, its calls have the same
                // ids.
                open.forEach(context.bridge()::cancel);
            }
            runListener.onFinished();
        });
    }

    private static ExecutionOutcome withSavedScript(ClaimedExecution claim, ExecutionOutcome outcome) {
        return outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.withSaveAs(claim.saveAs())
                : outcome;
    }

    /** Handles the loss of the execution to another owner: stops the script and writes nothing. */
    private void ownershipLost() {
        if (sessionEnded.compareAndSet(false, true)) {
            StartedRun run = startedRun.join();
            cancelTimers(run);
            run.calls().stop(false);
            run.calls().clear();
            run.entries().close();
            session.thenAccept(SandboxSession::cancel);
            runListener.onReleased();
        }
    }
}
