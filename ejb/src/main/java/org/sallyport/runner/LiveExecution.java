package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.sallyport.execution.Claim;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Limits;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Progress;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Entries;
import org.sallyport.runner.Outcomes.Stop;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.tool.ToolName;

/**
 * One execution in the hands of this node. Holds no thread: what the sandbox and the bridge tell is noted at once, and what
 * may wait for the database or the broker is done in order on a shared executor.
 */
final class LiveExecution implements SessionListener {
    private static final Logger LOG = System.getLogger(LiveExecution.class.getName());
    private static final long RETRY_MILLIS = 500;
    /** The sandbox promises to end a cancelled session within two seconds; past this it is not believed. */
    private static final long CANCEL_MILLIS = 4_000;

    private final ExecutionId id;
    private final RunContext context;
    private final Runnable afterwards;
    private final SerialTasks tasks;
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private volatile Stop stop = Stop.NONE;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicBoolean flushDue = new AtomicBoolean();
    private final CompletableFuture<Running> running = new CompletableFuture<>();

    /** What is known once the execution is claimed. */
    private record Running(Claim claim, EntryBuffer entries, OpenCalls calls, ScheduledFuture<?> deadline) {}

    /** @param afterwards called once, when the execution has ended or was lost to another, and all is written */
    LiveExecution(ExecutionId id, RunContext context, Runnable afterwards) {
        this.id = id;
        this.context = context;
        this.afterwards = afterwards;
        this.tasks = new SerialTasks(context.executor());
    }

    /** Starts the session of a claimed execution. */
    void begin(Claim claim) {
        EntryBuffer entries = new EntryBuffer(context.clock(), claim.lastSeq());
        entries.state(ExecutionState.RUNNING, claim.fence().attempt());
        ScheduledFuture<?> deadline = context.scheduler()
                .schedule(() -> stop(Stop.TIME_OUT), Math.max(1, claim.remainingMillis()), TimeUnit.MILLISECONDS);
        OpenCalls calls = new OpenCalls(claim, context, entries, session, this::flushBeforeEffect);
        running.complete(new Running(claim, entries, calls, deadline));
        try {
            session.complete(context.sandbox().start(request(claim), this));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + claim.fence() + ": its session could not be started", e);
            ended(new SessionEnd.Lost(SessionEnd.Reason.UNAVAILABLE, "the sandbox could not start the script"));
        }
    }

    private SessionRequest request(Claim claim) {
        Limits limits = claim.limits();
        return new SessionRequest(
                claim.fence().toString(),
                claim.tenant(),
                new Script(claim.code(), Language.valueOf(claim.language().name())),
                claim.args().text(),
                claim.context().text(),
                new SessionLimits(
                        limits.cpuMillis(),
                        limits.heapBytes(),
                        limits.toolCalls(),
                        context.limits().concurrentCalls(),
                        limits.outputChars(),
                        context.limits().resultChars(),
                        context.limits().argumentChars(),
                        context.limits().timers(),
                        context.limits().artifacts(),
                        context.limits().artifactBytes(),
                        context.limits().events()),
                context.toolboxes().of(claim.grants()));
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

    private void endForcibly() {
        if (!over.get()) {
            LOG.log(Level.ERROR, "execution {0}: the sandbox did not end the session in time", id);
            ended(new SessionEnd.Cancelled());
        }
    }

    @Override
    public void called(long call, String backend, String tool, String arguments) {
        OpenCalls calls = running.join().calls();
        calls.opened(call, new ToolName(backend, tool), arguments, tasks);
        flushSoon();
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {
        running.join().entries().printed(stream == OutputStreamKind.OUT ? OutputKind.OUT : OutputKind.ERR, text);
        flushSoon();
    }

    @Override
    public void truncated(OutputStreamKind stream) {
        running.join().entries().truncated();
    }

    @Override
    public void progressed(double fraction, String text) {
        running.join().entries().progressed(new Progress((int) Math.round(fraction * 1_000), text));
        flushSoon();
    }

    @Override
    public void ended(SessionEnd end) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        Running run = running.join();
        run.deadline().cancel(false);
        run.calls().close();
        Outcome outcome = Outcomes.of(end, stop, run.claim().limits());
        tasks.execute(() -> finish(run, outcome));
    }

    private void flushSoon() {
        if (flushDue.compareAndSet(false, true)) {
            context.scheduler()
                    .schedule(
                            () -> tasks.execute(this::flush),
                            context.limits().flush().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void flush() {
        flushDue.set(false);
        if (over.get()) {
            return; // what is left goes with the final commit
        }
        try {
            write(running.join());
        } catch (StoreUnavailableException e) {
            flushSoon();
        }
    }

    /** Whether all that came before is stored, so that an effect may leave; false when it must not. Waits for the store. */
    private boolean flushBeforeEffect() {
        while (!over.get()) {
            try {
                return write(running.join());
            } catch (StoreUnavailableException e) {
                try {
                    Thread.sleep(RETRY_MILLIS);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return false;
    }

    private boolean write(Running run) {
        Entries entries = run.entries().take();
        if (run.entries().isEmpty() && entries.isEmpty()) {
            return true;
        }
        if (!context.journal().append(run.claim().fence(), entries)) {
            LOG.log(
                    Level.INFO,
                    "execution {0} is held by somebody else now; this run stops",
                    run.claim().fence());
            abandon(run);
            return false;
        }
        run.entries().written();
        return true;
    }

    /** Somebody else owns the execution: stop without a word. */
    private void abandon(Running run) {
        if (over.compareAndSet(false, true)) {
            run.deadline().cancel(false);
            run.calls().close();
            session.thenAccept(SandboxSession::cancel);
            afterwards.run();
        }
    }

    private void finish(Running run, Outcome outcome) {
        try {
            Entries entries = run.entries().take();
            if (context.journal().finish(run.claim().fence(), outcome, entries).isEmpty()) {
                LOG.log(
                        Level.INFO,
                        "execution {0} had ended or was taken before this run ended",
                        run.claim().fence());
            }
            afterwards.run();
        } catch (StoreUnavailableException e) {
            // The outcome exists only here: keep trying for as long as this node lives.
            context.scheduler()
                    .schedule(() -> tasks.execute(() -> finish(run, outcome)), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + run.claim().fence() + ": its end could not be written", e);
            afterwards.run();
        }
    }
}
