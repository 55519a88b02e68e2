package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Progress;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.Outcomes.Stop;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;

/**
 * One execution in the hands of this node. Holds no thread: what the sandbox and the bridge tell is noted at once, and what
 * may wait for the database or the broker is done in order on a shared executor.
 */
final class LiveExecution implements SessionListener {
    private static final Logger LOG = System.getLogger(LiveExecution.class.getName());
    /** The sandbox promises to end a cancelled session within two seconds; past this it is not believed. */
    private static final long CANCEL_MILLIS = 4_000;

    /** How often an end is judged that could not be, and a journal read that could not be. */
    private static final int LOOKS = 2;

    /** After that others do what this node was to do. */
    /** A wait that is worth to be parked for when places are few. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private static final Duration STANDS_STILL = Duration.ofSeconds(5);

    private final ExecutionId id;
    private final RunContext context;
    private final SecondChance chance;
    private final Map<Long, Optional<CompletionStage<ToolReply>>> inFlight;
    private final Afterwards afterwards;
    private final SerialTasks tasks;
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private volatile Stop stop = Stop.NONE;
    private volatile boolean hurried;
    private volatile Duration lastAnswers = Duration.ZERO;
    /** While it is given back by a node that stops. */
    private volatile boolean leaving;

    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Running> running = new CompletableFuture<>();
    private volatile @Nullable String divergence;
    private volatile @Nullable String outsidePlan;

    /** What is known once the execution is claimed. */
    private record Running(
            Claim claim,
            String holder,
            boolean parks,
            EntryBuffer entries,
            OpenCalls calls,
            RunWriter writer,
            Discretion discretion,
            ScheduledFuture<?> deadline) {}

    /** Told once, when all is written. */
    interface Afterwards {
        /** The execution has ended. */
        void over();

        /** It is somebody else's now, or will be. */
        void gone();

        /** It is parked, and goes on here. */
        void dormant(Dormant dormant);

        /**
         * It was given back, to be claimed and to go on.
         *
         * @param inFlight answers that are still to come, by the ordinals of their calls; empty for a call that never left
         */
        void again(SecondChance chance, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight);
    }

    /** @param inFlight answers to calls that an earlier run on this node sent */
    LiveExecution(
            ExecutionId id,
            RunContext context,
            SecondChance chance,
            Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
            Afterwards afterwards) {
        this.id = id;
        this.inFlight = inFlight;
        this.context = context;
        this.chance = chance;
        this.afterwards = afterwards;
        this.tasks = new SerialTasks(context.executor());
    }

    /**
     * Starts the session of a claimed execution; one that cannot be started has failed.
     *
     * @param holder the holder of this node's lease
     * @param ahead by how much the store's clock is ahead: the script's time is the same on all nodes
     */
    void begin(Claim claim, String holder, Duration ahead) {
        EntryBuffer entries = new EntryBuffer(context.clock(), claim.lastSeq(), claim.outLength(), claim.errLength());
        entries.state(ExecutionState.RUNNING, claim.fence().attempt());
        RunWriter writer = new RunWriter(claim, context, entries, tasks, () -> over.get() && !leaving, this::taken);
        Repetition repetition;
        try {
            repetition = repetition(claim);
            prepare(claim, holder, entries, writer, repetition);
        } catch (RuntimeException | StackOverflowError e) {
            // Whoever claims it next would meet the same, and until its time is over nobody would hear of it.
            LOG.log(Level.ERROR, "execution " + claim.fence() + " could not be begun", e);
            failUnbegun(writer);
            return;
        }
        start(claim, repetition.complete(), repetition.past().by(ahead.toMillis()));
    }

    /** What it repeats. Not given up at the first fault, which may be one of the platform. */
    private Repetition repetition(Claim claim) {
        for (int look = 1; look < LOOKS; look++) {
            try {
                return Repetition.of(claim, context.journal(), over::get);
            } catch (RuntimeException | StackOverflowError e) {
                LOG.log(Level.WARNING, "execution " + claim.fence() + ": its journal could not be read", e);
            }
        }
        return Repetition.of(claim, context.journal(), over::get);
    }

    private void failUnbegun(RunWriter writer) {
        over.set(true);
        Outcome failed = Outcomes.failed(
                ErrorCode.INTERNAL_ERROR, "what the script did before could not be read: it could not be begun");
        tasks.execute(() -> writer.finish(failed, ended -> {
            if (ended) {
                inFlight.forEach((call, coming) ->
                        coming.ifPresent(any -> context.bridge().cancel(new CallId(id.toString(), call))));
            }
            afterwards.over();
        }));
    }

    private void prepare(Claim claim, String holder, EntryBuffer entries, RunWriter writer, Repetition repetition) {
        entries.recorded(repetition.untold());
        OpenCalls calls = new OpenCalls(
                claim,
                context,
                entries,
                session,
                tasks,
                writer,
                new Earlier(repetition.replay(), inFlight, this::diverge),
                new PlannedEffects(claim, context.journal(), this::leavePlan));
        Discretion discretion = new Discretion(
                () -> context.hidden().of(claim.tenant()),
                () -> context.hidden().known(claim.tenant()));
        boolean parks = SessionRequests.parkMillis(claim, context) > 0;
        Stop late = claim.byDeadline() ? Stop.DEADLINE : Stop.TIME_OUT;
        ScheduledFuture<?> deadline = context.scheduler()
                .schedule(() -> stop(late), Math.max(1, claim.remainingMillis()), TimeUnit.MILLISECONDS);
        running.complete(new Running(claim, holder, parks, entries, calls, writer, discretion, deadline));
    }

    private void start(Claim claim, boolean complete, Past past) {
        if (!complete) {
            stop(Stop.RECORDING_GONE);
            ended(new SessionEnd.Cancelled());
            return;
        }
        try {
            // It hears from the start: its script may call, and be answered, before the sandbox has given it.
            AwaitedSession starting = new AwaitedSession();
            session.complete(starting);
            starting.arrived(context.sandbox().start(SessionRequests.of(claim, past, context), this));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + claim.fence() + ": its session could not be started", e);
            ended(new SessionEnd.Lost(SessionEnd.Reason.UNAVAILABLE, "the sandbox could not start the script"));
        }
    }

    /** The script does not repeat what it did before: no answer of then fits what it does now. */
    private void diverge(String how) {
        divergence = how;
        stop(Stop.DIVERGED);
    }

    /** The script would do what nobody has approved. */
    private void leavePlan(String how) {
        outsidePlan = how;
        stop(Stop.OUTSIDE_PLAN);
    }

    /** Stops the script for the first reason given; may come before {@link #begin}. */
    void stop(Stop reason) {
        synchronized (this) {
            if (stop == Stop.NONE) {
                stop = reason;
            }
        }
        session.thenAccept(live -> {
            live.cancel();
            if (!over.get()) {
                context.scheduler().schedule(this::endForcibly, CANCEL_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    /** Stops the script for another node to go on with, once its effects are answered, after {@code patience} at the latest. */
    void shutDown(Duration patience) {
        lastAnswers = patience;
        stop(Stop.SHUTDOWN);
    }

    /** Stops without a word, for somebody else to go on; may come before {@link #begin}. */
    void abandon() {
        running.thenRun(this::taken);
    }

    private void endForcibly() {
        if (!over.get()) {
            LOG.log(Level.ERROR, "execution {0}: the sandbox did not end the session in time", id);
            ended(new SessionEnd.Cancelled());
        }
    }

    @Override
    public void called(long call, String backend, String tool, String arguments) {
        if (over.get()) {
            return; // a session that was given up may still speak
        }
        Running run = running.join();
        run.calls().opened(call, new ToolName(backend, tool), arguments);
        run.writer().soon();
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {
        Running run = running.join();
        OutputKind kind = stream == OutputStreamKind.OUT ? OutputKind.OUT : OutputKind.ERR;
        synchronized (run.discretion()) {
            run.entries().printed(kind, run.discretion().printed(kind, text));
        }
        run.writer().soon();
    }

    @Override
    public void truncated(OutputStreamKind stream) {
        running.join().entries().truncated();
    }

    @Override
    public void progressed(double fraction, String text) {
        Running run = running.join();
        run.entries()
                .progressed(new Progress(
                        (int) Math.round(fraction * 1_000), run.discretion().of(text)));
        run.writer().soon();
    }

    @Override
    public void recorded(String log) {
        running.join().entries().recorded(log);
    }

    @Override
    public void inspectable(String url) {
        Inspection.tell(url, text -> printed(OutputStreamKind.ERR, text));
    }

    @Override
    public void profiled(String profile) {
        Running run = running.join();
        tasks.execute(() -> Inspection.keep(profile, run.claim().fence(), context.artifacts()));
    }

    @Override
    public void ended(SessionEnd end) {
        Running run = running.join();
        // Before it is over: a call that is on its way at this moment leaves.
        boolean givenBack = isGivenBack(run, end);
        leaving |= givenBack && !over.get();
        if (!over.compareAndSet(false, true)) {
            return;
        }
        run.deadline().cancel(false);
        run.calls().stop(givenBack);
        // In order: what was on its way to a tool has left by then, or never will.
        tasks.execute(() -> close(run, end));
    }

    /** Whether another node, or this one when it is back, is to go on from the journal. */
    private boolean isGivenBack(Running run, SessionEnd end) {
        return stop == Stop.SHUTDOWN
                && (end instanceof SessionEnd.Cancelled
                        || end instanceof SessionEnd.Lost
                        || end instanceof SessionEnd.Parked)
                && run.claim().durability() == Durability.JOURNAL;
    }

    private void close(Running run, SessionEnd end) {
        boolean givenBack = isGivenBack(run, end);
        if (end instanceof SessionEnd.Parked parked && (stop == Stop.NONE || stop == Stop.SHUTDOWN)) {
            Optional<Waits> waits = run.calls().waits(Duration.ofMillis(parked.millis()));
            if (givenBack && waits.filter(all -> all.answers().isEmpty()).isEmpty()) {
                giveBack(run);
            } else {
                waits.ifPresentOrElse(all -> park(run, all), () -> goOn(run));
            }
            return;
        } else if (givenBack) {
            giveBack(run);
            return;
        }
        boolean another = end instanceof SessionEnd.Lost lost
                && (lost.reason() == SessionEnd.Reason.WORKER_LOST || lost.reason() == SessionEnd.Reason.OUT_OF_MEMORY)
                && stop == Stop.NONE;
        if (!another) {
            finish(run, outcomeOrFault(run, end));
            return;
        }
        int attempt = run.claim().fence().attempt();
        SecondChance.Verdict verdict = chance.after((SessionEnd.Lost) end, attempt, isRepeatable(run));
        if (verdict instanceof SecondChance.Verdict.Over failed) {
            finish(run, failed.outcome());
        } else if (verdict instanceof SecondChance.Verdict.Again again) {
            LOG.log(
                    Level.INFO,
                    "execution {0} lost its worker and runs again",
                    run.claim().fence());
            run.calls().noteAnswers();
            run.writer().release(released -> released(run, released, again.next()));
        }
    }

    /** With what its effects are answered: nobody could ask again. */
    private void giveBack(Running run) {
        run.calls()
                .effectsAnswered(lastAnswers)
                .thenRun(() -> tasks.execute(() -> {
                    run.calls().noteAnswers();
                    run.writer().release(done -> leave(run, done));
                }));
    }

    /** What the script was to be parked for is here already, or it must stay here for it. */
    private void goOn(Running run) {
        run.calls().noteAnswers(); // This node may be about to stop.
        run.writer().release(released -> released(run, released, chance));
    }

    private void park(Running run, Waits waits) {
        Duration most = context.limits().parked();
        Instant now = context.clock().instant();
        Optional<Duration> tooLong = waits.tooLong(most, now);
        if (tooLong.isPresent()) {
            finish(run, Outcomes.sleepsTooLong(tooLong.get(), most));
        } else if (waits.answers().isEmpty()) {
            run.writer()
                    .park(
                            waits.parking(most, now),
                            answer -> parked(run, answer, () -> {
                                run.calls().forget();
                                afterwards.gone();
                                if (waits.patience().isPresent()) {
                                    wakeIfDecided();
                                }
                            }));
        } else {
            parkHere(run, waits);
        }
    }

    /** The answers of its tools come to this node, which lets it go on; others do if this one is gone, or stands still. */
    private void parkHere(Running run, Waits waits) {
        Duration wall = Duration.ofMillis(Math.max(0, run.deadline().getDelay(TimeUnit.MILLISECONDS)));
        Duration wait = waits.timer().isZero() || wall.compareTo(waits.timer()) < 0 ? wall : waits.timer();
        Dormant dormant = new Dormant(run.claim().fence(), run.calls().inFlight(), wait);
        run.writer()
                .park(
                        waits.parkingHere(run.holder(), wait.plus(STANDS_STILL)),
                        answer -> parked(run, answer, () -> {
                            run.calls().forget();
                            afterwards.dormant(dormant);
                        }));
    }

    private void parked(Running run, Parking.Answer answer, Runnable then) {
        switch (answer) {
            case PARKED -> then.run();
            case EVENT_IS_THERE -> goOn(run);
            case NOT_HELD -> finish(run, new Outcome.Cancelled());
        }
    }

    /** What people decide while it is being parked wakes nobody. */
    private void wakeIfDecided() {
        try {
            context.approvals().wake(id);
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "execution {0} is looked after by the sweeper: {1}", id, e.getMessage());
        }
    }

    /** Places are few: from now on it is parked when it waits for a moment. Whether that is new to it, and it can be. */
    boolean hurry() {
        if (hurried || !running.isDone() || over.get() || !running.join().parks()) {
            return false;
        }
        hurried = true;
        session.thenAccept(live -> live.park(soon().toMillis()));
        return true;
    }

    private Duration soon() {
        Duration usual = context.limits().park();
        return usual.compareTo(SOON) < 0 ? usual : SOON;
    }

    /** People may have decided on what this execution waits for; and what it waits for may take long. */
    void look() {
        if (!running.isDone() || over.get()) {
            return;
        }
        Running run = running.join();
        if (run.parks()) {
            run.calls().postponeLong(hurried ? soon() : context.limits().park());
        }
        if (run.calls().patience().isPresent()) {
            tasks.execute(() -> {
                try {
                    run.calls().look();
                } catch (StoreUnavailableException e) {
                    LOG.log(Level.DEBUG, "execution {0}: the next look tells it: {1}", id, e.getMessage());
                }
            });
        }
    }

    /** Without a journal nobody knows what a call has done. */
    private static boolean isRepeatable(Running run) {
        return run.claim().durability() == Durability.JOURNAL || !run.calls().any();
    }

    /**
     * Whatever fails here, the execution ends and gives its place back. Not at the first fault: one of the platform, as when it
     * cannot load a class just now, says nothing of the script.
     */
    private Outcome outcomeOrFault(Running run, SessionEnd end) {
        for (int look = 1; look <= LOOKS; look++) {
            try {
                return outcome(run, end);
            } catch (RuntimeException | StackOverflowError e) {
                LOG.log(Level.ERROR, "execution " + run.claim().fence() + ": its end could not be judged", e);
            }
        }
        return Outcomes.failed(ErrorCode.INTERNAL_ERROR, "the end of the script could not be judged");
    }

    private Outcome outcome(Running run, SessionEnd end) {
        String outside = outsidePlan;
        if (outside != null) {
            return Outcomes.failed(ErrorCode.OUTSIDE_PLAN, outside);
        }
        boolean ownEnd = end instanceof SessionEnd.Returned || end instanceof SessionEnd.Threw;
        String how = divergence != null || !ownEnd
                ? divergence
                : run.calls().missed().orElse(null);
        return how != null
                ? Outcomes.diverged(how, run.claim().rerun().isPresent())
                : Outcomes.checked(
                        Outcomes.of(end, stop, run.claim().limits()),
                        run.claim().outputSchema());
    }

    private void leave(Running run, boolean left) {
        if (left) {
            run.calls().forget();
            afterwards.gone();
        } else {
            finish(run, new Outcome.Cancelled());
        }
    }

    private void released(Running run, boolean released, SecondChance next) {
        if (released) {
            afterwards.again(next, run.calls().inFlight());
        } else {
            // Taken by another, or a caller asked to cancel it: the store knows which.
            finish(run, new Outcome.Cancelled());
        }
    }

    private void finish(Running run, Outcome outcome) {
        List<CallId> open = run.calls().close();
        synchronized (run.discretion()) {
            run.discretion().rest(run.entries()::printed);
        }
        run.writer().finish(keeping(run.claim(), run.discretion().of(outcome)), ended -> {
            if (ended) {
                // Not before: the run of another, who may have taken the execution, has calls of the same ids.
                open.forEach(context.bridge()::cancel);
            }
            afterwards.over();
        });
    }

    private static Outcome keeping(Claim claim, Outcome outcome) {
        return outcome instanceof Outcome.Completed completed ? completed.keeping(claim.keepAs()) : outcome;
    }

    /** Somebody else owns the execution: stop without a word. */
    private void taken() {
        if (over.compareAndSet(false, true)) {
            Running run = running.join();
            run.deadline().cancel(false);
            run.calls().stop(false);
            run.calls().forget();
            session.thenAccept(SandboxSession::cancel);
            afterwards.gone();
        }
    }
}
