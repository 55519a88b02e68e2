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
import org.sallyport.execution.Pause;
import org.sallyport.execution.Progress;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.runner.Outcomes.Stop;
import org.sallyport.sandbox.OutputStreamKind;
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

    private static final Duration PATIENCE_OVER = Duration.ofSeconds(5);

    private final ExecutionId id;
    private final RunContext context;
    private final SecondChance chance;
    private final Map<Long, Optional<CompletionStage<ToolReply>>> inFlight;
    private final Afterwards afterwards;
    private final SerialTasks tasks;
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private volatile Stop stop = Stop.NONE;
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Running> running = new CompletableFuture<>();
    private volatile @Nullable String divergence;
    private volatile @Nullable String outsidePlan;

    /** What is known once the execution is claimed. */
    private record Running(
            Claim claim, EntryBuffer entries, OpenCalls calls, RunWriter writer, ScheduledFuture<?> deadline) {}

    /** Told once, when all is written. */
    interface Afterwards {
        /** The execution has ended. */
        void over();

        /** It is somebody else's now, or will be. */
        void gone();

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

    /** Starts the session of a claimed execution. */
    void begin(Claim claim) {
        EntryBuffer entries = new EntryBuffer(context.clock(), claim.lastSeq(), claim.outLength(), claim.errLength());
        entries.state(ExecutionState.RUNNING, claim.fence().attempt());
        Repetition repetition = Repetition.of(claim, context.journal(), over::get);
        entries.recorded(repetition.untold());
        ScheduledFuture<?> deadline = context.scheduler()
                .schedule(() -> stop(Stop.TIME_OUT), Math.max(1, claim.remainingMillis()), TimeUnit.MILLISECONDS);
        RunWriter writer = new RunWriter(claim, context, entries, tasks, over, this::taken);
        OpenCalls calls = new OpenCalls(
                claim,
                context,
                entries,
                session,
                writer::beforeEffect,
                new Earlier(repetition.replay(), inFlight, this::diverge),
                new PlannedEffects(claim, context.journal(), this::leavePlan));
        running.complete(new Running(claim, entries, calls, writer, deadline));
        if (!repetition.complete()) {
            stop(Stop.RECORDING_GONE);
            ended(new SessionEnd.Cancelled());
            return;
        }
        try {
            // It hears from the start: its script may call, and be answered, before the sandbox has given it.
            AwaitedSession starting = new AwaitedSession();
            session.complete(starting);
            starting.arrived(context.sandbox().start(SessionRequests.of(claim, repetition.past(), context), this));
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
        run.calls().opened(call, new ToolName(backend, tool), arguments, tasks);
        run.writer().soon();
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {
        Running run = running.join();
        run.entries().printed(stream == OutputStreamKind.OUT ? OutputKind.OUT : OutputKind.ERR, text);
        run.writer().soon();
    }

    @Override
    public void truncated(OutputStreamKind stream) {
        running.join().entries().truncated();
    }

    @Override
    public void progressed(double fraction, String text) {
        Running run = running.join();
        run.entries().progressed(new Progress((int) Math.round(fraction * 1_000), text));
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
        if (!over.compareAndSet(false, true)) {
            return;
        }
        Running run = running.join();
        run.deadline().cancel(false);
        run.calls().stop();
        // In order: what was on its way to a tool has left by then, or never will.
        tasks.execute(() -> close(run, end));
    }

    private void close(Running run, SessionEnd end) {
        if (end instanceof SessionEnd.Parked parked && (stop == Stop.NONE || stop == Stop.SHUTDOWN)) {
            if (run.calls().anyDecided()) {
                // The script did not know that its answer comes soon after all.
                run.writer().release(released -> released(run, released, chance));
            } else {
                park(run, Duration.ofMillis(parked.millis()));
            }
            return;
        } else if ((end instanceof SessionEnd.Cancelled || end instanceof SessionEnd.Lost)
                && stop == Stop.SHUTDOWN
                && run.claim().durability() == Durability.JOURNAL) {
            // Another node, or this one when it is back, goes on from the journal.
            run.writer().release(done -> leave(run, done));
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
            run.writer().release(released -> released(run, released, again.next()));
        }
    }

    /** @param timer until the script's first timer is due, 0 when it has none */
    private void park(Running run, Duration timer) {
        Optional<Instant> patience = run.calls().patience();
        if (timer.compareTo(context.limits().parked()) > 0) {
            finish(run, Outcomes.sleepsTooLong(timer, context.limits().parked()));
        } else if (patience.isEmpty()) {
            run.writer().park(Pause.Reason.TIMER, timer, done -> leave(run, done));
        } else {
            // A moment more: who ends what nobody decided wakes it, and it would be woken in vain before.
            Duration people =
                    Duration.between(context.clock().instant(), patience.get()).plus(PATIENCE_OVER);
            Duration wait = timer.isZero() || people.compareTo(timer) < 0 ? people : timer;
            run.writer().park(Pause.Reason.APPROVAL, wait, done -> {
                leave(run, done);
                if (done) {
                    wakeIfDecided();
                }
            });
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

    /** People may have decided on what this execution waits for. */
    void look() {
        if (running.isDone() && !over.get() && running.join().calls().patience().isPresent()) {
            tasks.execute(() -> {
                try {
                    running.join().calls().look();
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

    /** Whatever fails here, the execution ends and gives its place back. */
    private Outcome outcomeOrFault(Running run, SessionEnd end) {
        try {
            return outcome(run, end);
        } catch (RuntimeException | StackOverflowError e) {
            LOG.log(Level.ERROR, "execution " + run.claim().fence() + ": its end could not be judged", e);
            return Outcomes.failed(ErrorCode.INTERNAL_ERROR, "the end of the script could not be judged");
        }
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
        run.writer().finish(outcome, ended -> {
            if (ended) {
                // Not before: the run of another, who may have taken the execution, has calls of the same ids.
                open.forEach(context.bridge()::cancel);
            }
            afterwards.over();
        });
    }

    /** Somebody else owns the execution: stop without a word. */
    private void taken() {
        if (over.compareAndSet(false, true)) {
            Running run = running.join();
            run.deadline().cancel(false);
            run.calls().stop();
            run.calls().forget();
            session.thenAccept(SandboxSession::cancel);
            afterwards.gone();
        }
    }
}
