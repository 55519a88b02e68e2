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
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.isolation.Isolation;
import org.sallyport.sandbox.isolation.Programs;

/**
 * Runs scripts in worker processes. A worker serves one tenant at a time and is killed when in doubt; what ran in it is
 * told so. Thread-safe.
 */
public final class WorkerSandbox implements Sandbox {
    private static final System.Logger LOG = System.getLogger(WorkerSandbox.class.getName());
    private static final long INSPECT_MILLIS = 500;
    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final WorkerSettings settings;
    private final Isolation isolation;
    private final ScheduledExecutorService clock = Threads.clock("sallyport-pool");
    /** One thread for good: some systems tie a process to the very thread that started it. */
    private final ExecutorService launching =
            Executors.newSingleThreadExecutor(work -> Threads.daemon("sallyport-launcher", work));

    private final Path run;
    private final Door door;
    private final Starter starter;
    private final Placement placement;
    private final Verdicts verdicts = new Verdicts();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean archiving = new AtomicBoolean();
    private volatile long inspectedNanos = System.nanoTime();
    private volatile boolean closed;

    /** Comes to a door with workers, and knows how they are kept apart. */
    record Origin(Starter starter, Isolation isolation) {}

    /** Finds out how workers are started for a run directory and the socket in it. */
    @FunctionalInterface
    interface Origins {
        Origin find(Path run, Path door) throws IOException;
    }

    /**
     * Lays out the workers' files, finds out how to keep them apart and starts the first ones; does not wait for them.
     *
     * @throws UncheckedIOException when files or the socket cannot be written
     */
    public WorkerSandbox(WorkerSettings settings) {
        this(settings, processes(settings, Programs.OF_SYSTEM));
        watch();
    }

    /** Workers of another origin; nobody looks after them but the caller, by {@link #inspect(long)}. */
    WorkerSandbox(WorkerSettings settings, Origins origins) {
        this.settings = settings;
        try {
            run = Directories.forRun();
            door = new Door(run.resolve("door"), clock);
            Origin origin = origins.find(run, door.path());
            starter = origin.starter();
            isolation = origin.isolation();
        } catch (IOException failure) {
            throw new UncheckedIOException("workers cannot be set up in " + settings.directory(), failure);
        }
        placement = new Placement(settings, this::launch);
        placement.grow();
    }

    /** From now on looks after the workers now and then. */
    private void watch() {
        var unused = clock.scheduleWithFixedDelay(this::inspect, INSPECT_MILLIS, INSPECT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void inspect() {
        long now = System.nanoTime();
        boolean heldUp = now - inspectedNanos > HELD_UP_NANOS;
        inspectedNanos = now;
        // While the server itself stood still it heard nobody: what was said meanwhile comes first.
        if (!heldUp) {
            inspect(now);
        }
    }

    /** Workers as processes, kept apart with the programs given. */
    static Origins processes(WorkerSettings settings, Programs programs) {
        return (run, door) -> {
            Site site = Site.find(settings, programs, run, door);
            return new Origin(new Launcher(settings, site), site.isolation());
        };
    }

    /** Looks after the workers as they are at {@code now}. */
    void inspect(long now) {
        placement.inspect(now);
    }

    @Override
    public CompletionStage<Preparation> check(String tenant, Script script) {
        if (closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
        return verdicts.of(tenant, script, () -> {
            RemoteCheck check = new RemoteCheck(this, tenant, script);
            place(check);
            return check.verdict();
        });
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        RemoteSession session = new RemoteSession(this, request, listener);
        place(session);
        return session;
    }

    @Override
    public SandboxStatus status() {
        return placement.status(isolation);
    }

    @Override
    public void close() {
        closed = true;
        placement.close();
        starter.close();
        door.close();
        launching.shutdownNow();
        placement.awaitEmpty(TimeUnit.SECONDS.toNanos(2));
        clock.shutdownNow();
        Directories.delete(run);
    }

    void place(Task task) {
        if (!placement.place(task, numbers.incrementAndGet())) {
            // The caller may hold what its listener needs: it is told on another thread.
            later(() -> task.lost(Placement.unavailable()), 0);
        }
    }

    /** Gives a cancelled session the time it may take, then kills its worker. */
    void watchCancel(RemoteSession session) {
        if (session.worker() == null && placement.withdraw(session)) {
            later(() -> session.lost(new SessionEnd.Cancelled()), 0);
            return;
        }
        later(
                () -> {
                    Worker worker = session.worker();
                    if (!session.isOver() && worker != null) {
                        worker.killFor(session, "a script in it did not stop");
                    }
                },
                settings.stopGrace().toMillis());
    }

    void ready(Worker worker) {
        placement.ready(worker);
        if (archiving.compareAndSet(false, true)) {
            Threads.daemon("sallyport-archive", starter::prepare).start();
        }
    }

    void finished(Worker worker) {
        placement.finished(worker);
    }

    void leaving(Worker worker) {
        placement.leaving(worker);
    }

    void gone(Worker worker) {
        placement.gone(worker);
    }

    void later(Runnable action, long millis) {
        try {
            var unused = clock.schedule(action, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            action.run();
        }
    }

    private void launch() {
        Worker worker = new Worker(this);
        placement.starting(worker);
        try {
            launching.execute(() -> launch(worker));
        } catch (RejectedExecutionException closing) {
            placement.gone(worker);
        }
    }

    private void launch(Worker worker) {
        String token = door.expect(worker);
        try {
            worker.started(starter.start(token));
        } catch (IOException | RuntimeException failure) {
            // The thread must live: workers die with it.
            LOG.log(System.Logger.Level.ERROR, "a worker cannot be started", failure);
            door.forget(token);
            placement.gone(worker);
        }
    }
}
