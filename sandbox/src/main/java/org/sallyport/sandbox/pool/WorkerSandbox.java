package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.isolation.Isolation;
import org.sallyport.sandbox.isolation.SystemPrograms;

/**
 * Runs scripts in worker processes. A worker serves one tenant at a time. The pool kills a worker in case of doubt and
 * notifies its sessions. Thread-safe.
 */
public final class WorkerSandbox implements Sandbox {
    private static final System.Logger LOG = System.getLogger(WorkerSandbox.class.getName());
    private static final long INSPECT_INTERVAL_MILLIS = 500;
    /** How long any session may take to end after a cancel. */
    private static final long MAX_STOP_MILLIS = 1_500;

    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Connections that have not presented a token yet, beyond the workers that may start at the same time. */
    private static final int SPARE_CONNECTIONS = 8;

    private final WorkerSettings settings;
    private final Isolation isolation;
    private final ScheduledExecutorService timerExecutor = DaemonThreads.newTimerExecutor("sallyport-pool");
    /** A single permanent thread: some systems bind a process to the thread that started it. */
    private final ExecutorService launchExecutor =
            Executors.newSingleThreadExecutor(work -> DaemonThreads.newThread("sallyport-launcher", work));

    private final Path runDirectory;
    private final WorkerSocket socket;
    private final WorkerStarter starter;
    private final WorkerScheduler scheduler;
    private final ScriptCheckCache checkCache = new ScriptCheckCache();
    private final AtomicLong taskNumbers = new AtomicLong();
    private final AtomicBoolean archiveStarted = new AtomicBoolean();
    private volatile long lastInspectionNanos = System.nanoTime();
    private volatile boolean closed;

    /** Starts workers that connect to the socket, with their isolation. */
    record WorkerRuntime(WorkerStarter starter, Isolation isolation) {}

    /** Creates the worker runtime for a run directory and the socket in it. */
    @FunctionalInterface
    interface WorkerRuntimeFactory {
        WorkerRuntime create(Path run, Path socket) throws IOException;
    }

    /**
     * Lays out the workers' files, detects the isolation and starts the first workers; does not wait for them.
     *
     * @throws UncheckedIOException when files or the socket cannot be written
     */
    public WorkerSandbox(WorkerSettings settings) {
        this(settings, processRuntime(settings, SystemPrograms.SYSTEM_DEFAULT));
        scheduleInspection();
    }

    /** Uses workers of another runtime. The caller must inspect them by {@link #inspectWorkers(long)}. */
    WorkerSandbox(WorkerSettings settings, WorkerRuntimeFactory origins) {
        this.settings = settings;
        try {
            runDirectory = RunDirectories.createRunDirectory();
            int maxWithoutToken = settings.maxWorkers() + SPARE_CONNECTIONS;
            socket = new WorkerSocket(runDirectory.resolve("sock"), timerExecutor, maxWithoutToken);
            WorkerRuntime origin = origins.create(runDirectory, socket.path());
            starter = origin.starter();
            isolation = origin.isolation();
        } catch (IOException failure) {
            throw new UncheckedIOException("workers cannot be set up in " + settings.directory(), failure);
        }
        scheduler = new WorkerScheduler(settings, () -> new Worker(this), this::launchWorker);
        scheduler.startMissingWorkers();
    }

    /** Schedules the periodic inspection of the workers. */
    private void scheduleInspection() {
        var unused = timerExecutor.scheduleWithFixedDelay(
                this::inspectWorkers, INSPECT_INTERVAL_MILLIS, INSPECT_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void inspectWorkers() {
        long now = System.nanoTime();
        boolean heldUp = now - lastInspectionNanos > STALL_NANOS;
        lastInspectionNanos = now;
        // While the server process was stalled, it read no frames. Pending frames must be read before any timeout
        // counts.
        if (!heldUp) {
            inspectWorkers(now);
        }
    }

    /** Runs workers as processes, isolated by the given programs. */
    static WorkerRuntimeFactory processRuntime(WorkerSettings settings, SystemPrograms programs) {
        return (run, path) -> {
            WorkerEnvironment site = WorkerEnvironment.detect(settings, programs, run, path);
            return new WorkerRuntime(new WorkerLauncher(settings, site), site.isolation());
        };
    }

    /** Checks the health of all workers at the time {@code now}. */
    void inspectWorkers(long now) {
        scheduler.inspectWorkers(now);
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        if (closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
        return checkCache.getOrCheck(tenant, script, () -> {
            RemoteScriptCheck check = new RemoteScriptCheck(this, tenant, script, false);
            schedule(check);
            return check.result().thenApply(CheckedScript::result);
        });
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        if (closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
        RemoteScriptCheck check = new RemoteScriptCheck(this, tenant, script, true);
        schedule(check);
        return check.result().thenApply(CheckedScript::references);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        RemoteSession session = new RemoteSession(this, request, listener);
        schedule(session);
        return session;
    }

    @Override
    public SandboxStatus status() {
        return scheduler.status(isolation);
    }

    @Override
    public void close() {
        closed = true;
        scheduler.close();
        starter.close();
        socket.close();
        // Starts that have not begun only free their slots.
        launchExecutor.shutdownNow().forEach(Runnable::run);
        scheduler.awaitNoWorkers(TimeUnit.SECONDS.toNanos(2));
        timerExecutor.shutdownNow();
        RunDirectories.deleteRecursively(runDirectory);
    }

    void schedule(WorkerTask task) {
        if (!scheduler.schedule(task, taskNumbers.incrementAndGet())) {
            // The caller may hold a lock that its listener needs, so the listener is notified on another thread.
            runLater(() -> task.onWorkerLost(WorkerScheduler.noWorkerResult()), 0);
        }
    }

    /**
     * Kills the worker of a cancelled session if the session has not ended after the grace period. A script that does
     * not compute ends at once, unless its worker gets no CPU time. So it has more time, because other sessions lose
     * their worker, too.
     */
    void enforceCancel(RemoteSession session) {
        if (session.worker() == null && scheduler.removeQueued(session)) {
            runLater(() -> session.onWorkerLost(new SessionResult.SessionCancelled()), 0);
            return;
        }
        runLater(() -> killWorkerOf(session, true), settings.stopGrace().toMillis());
        runLater(() -> killWorkerOf(session, false), MAX_STOP_MILLIS);
    }

    private void killWorkerOf(RemoteSession session, boolean onlyIfComputing) {
        Worker worker = session.worker();
        if (!session.isDone() && worker != null && (!onlyIfComputing || worker.isComputing(session))) {
            worker.killFor(session, "a script in it did not stop");
        }
    }

    void workerReady(Worker worker) {
        scheduler.workerReady(worker);
        if (archiveStarted.compareAndSet(false, true)) {
            DaemonThreads.newThread("sallyport-archive", starter::prepare).start();
        }
    }

    /** Returns the size of the heap of a worker, in MiB. */
    int heapMegabytes() {
        return settings.heapMegabytes();
    }

    void taskFinished(Worker worker) {
        scheduler.taskFinished(worker);
    }

    void retireWorker(Worker worker) {
        scheduler.retireWorker(worker);
    }

    void workerExited(Worker worker) {
        scheduler.workerExited(worker);
    }

    void runLater(Runnable action, long millis) {
        try {
            var unused = timerExecutor.schedule(action, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            action.run();
        }
    }

    private void launchWorker(Worker worker) {
        try {
            launchExecutor.execute(() -> startProcess(worker));
        } catch (RejectedExecutionException closing) {
            scheduler.workerExited(worker);
        }
    }

    private void startProcess(Worker worker) {
        if (closed) {
            scheduler.workerExited(worker);
            return;
        }
        String token = socket.issueToken(worker);
        try {
            worker.attachProcess(starter.start(token));
        } catch (IOException | RuntimeException failure) {
            // The exception must not end this thread: workers die with it.
            LOG.log(System.Logger.Level.ERROR, "a worker cannot be started; its slot is freed", failure);
            socket.revokeToken(token);
            scheduler.workerExited(worker);
        }
    }
}
