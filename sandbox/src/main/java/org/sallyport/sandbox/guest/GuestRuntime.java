package org.sallyport.sandbox.guest;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.TestScript;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.source.InvalidScriptException;
import org.sallyport.sandbox.source.ScriptReader;

/** All sessions of one process: the engine, the carriers, the clock and the watch over limits. Thread-safe. */
public final class GuestRuntime implements AutoCloseable {
    private static final long TICK_MILLIS = 20;
    private static final long STUCK_NANOS = 1_500_000_000L;
    private static final Duration CLOSING = Duration.ofNanos(STUCK_NANOS);

    private final GuestSettings settings;
    private final Runnable afterTurn;
    private final GuestEngine engine = new GuestEngine();
    private final ScriptReader reader;
    private final PreparedScripts prepared = new PreparedScripts();
    private final FreshContexts contexts;
    private final Carriers carriers;
    private final ScheduledExecutorService clock = newClock();
    private final ExecutorService interrupter = Executors.newCachedThreadPool(daemon("sallyport-interrupter"));
    /** Of its own, so that a verdict does not wait for what scripts compute. */
    private final ExecutorService reading = Executors.newSingleThreadExecutor(GuestRuntime::readingThread);

    private final @Nullable MemoryWatch memory;
    private final Set<GuestSession> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean damaged;
    private volatile @Nullable Bench lastBench;

    private record Bench(Toolbox toolbox, Workbench bench) {}

    /** @param afterTurn run when a turn is over or the watch has looked, to send on what sessions said */
    public GuestRuntime(GuestSettings settings, Runnable afterTurn) {
        this.settings = settings;
        this.afterTurn = afterTurn;
        reader = new ScriptReader(engine, settings.libraryDirectory(), this::damaged);
        contexts = new FreshContexts(engine, settings.carriers());
        carriers = new Carriers(settings.carriers(), contexts::stock);
        memory = settings.ownProcess() ? new MemoryWatch(prepared::clear) : null;
    }

    /** Starts a session; {@code listener} is told on the carriers' threads and the clock's. */
    public GuestSession start(SessionRequest request, SessionListener listener) {
        GuestSession session = new GuestSession(this, request, bench(request.toolbox()), listener);
        sessions.add(session);
        session.start();
        startTicking();
        return session;
    }

    /** Reads a script without running it; one at a time, in the order they come. */
    public CompletionStage<Preparation> check(Script script) {
        try {
            return CompletableFuture.supplyAsync(() -> verdict(script), reading);
        } catch (RejectedExecutionException closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
    }

    private Preparation verdict(Script script) {
        try {
            prepared(script);
            return new Preparation.Accepted();
        } catch (InvalidScriptException invalid) {
            return invalid.rejected();
        } catch (RuntimeException | StackOverflowError failure) {
            return new Preparation.Rejected("The script cannot be read", 0, 0, "");
        }
    }

    /** Reads a script and runs nothing, so that the first of its kind is not slow. */
    public void warmUp() {
        reader.warmUp();
    }

    /** Names of the sessions that compute just now. */
    public List<GuestSession> computing() {
        return carriers.computing();
    }

    /** Live sessions. */
    public int sessionCount() {
        return sessions.size();
    }

    /** Share of the heap that survived the last collection, from 0 to 1; 0 when it is not watched. */
    public double heapFullness() {
        return memory == null ? 0 : memory.fullness();
    }

    /** Whether something happened after which this runtime should not get new sessions. */
    public boolean isDamaged() {
        return damaged;
    }

    /** Ends all sessions as {@link SessionEnd.Reason#UNAVAILABLE}. */
    @Override
    public void close() {
        var lost = new SessionEnd.Lost(SessionEnd.Reason.UNAVAILABLE, "The sandbox was closed");
        sessions.forEach(session -> session.stop(lost));
        long deadline = System.nanoTime() + STUCK_NANOS;
        while (!sessions.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        sessions.forEach(GuestSession::abandon);
        clock.shutdownNow();
        reading.shutdown();
        interrupter.shutdown();
        // A context that is made or closed by one thread while another closes the engine may break the engines of the
        // whole process.
        carriers.close(CLOSING);
        await(interrupter);
        await(reading);
        contexts.close();
        reader.close();
        engine.close();
    }

    private static void await(ExecutorService threads) {
        try {
            var unused = threads.awaitTermination(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    GuestEngine engine() {
        return engine;
    }

    FreshContexts contexts() {
        return contexts;
    }

    Carriers carriers() {
        return carriers;
    }

    ScheduledExecutorService clock() {
        return clock;
    }

    Prepared prepared(Script script) throws InvalidScriptException {
        Optional<Prepared> known = prepared.find(script);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<TestScript> tests = TestScript.in(script);
        Prepared read = tests.isPresent() ? preparedTests(tests.get()) : Prepared.of(reader.read(script));
        prepared.keep(script, read);
        return read;
    }

    private Prepared preparedTests(TestScript script) throws InvalidScriptException {
        return Prepared.withTests(reader.read(script.implementation()), reader.read(script.tests()));
    }

    void interrupt(Runnable closing) {
        try {
            interrupter.execute(closing);
        } catch (RejectedExecutionException alreadyClosed) {
            closing.run();
        }
    }

    void forget(GuestSession session) {
        sessions.remove(session);
    }

    void turnEnded() {
        afterTurn.run();
    }

    void damaged() {
        damaged = true;
    }

    private Workbench bench(Toolbox toolbox) {
        Bench last = lastBench;
        if (last == null || !last.toolbox().equals(toolbox)) {
            last = new Bench(toolbox, Workbench.of(toolbox));
            lastBench = last;
        }
        return last.bench();
    }

    private void startTicking() {
        if (ticking.compareAndSet(false, true)) {
            var unused = clock.schedule(this::watchAll, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void watchAll() {
        try {
            sessions.forEach(GuestSession::tick);
            carriers.computing().forEach(this::watch);
            carriers.grow(System.nanoTime());
            if (memory != null) {
                memory.look(sessions);
            }
            afterTurn.run();
        } finally {
            ticking.set(false);
            if (!sessions.isEmpty()) {
                startTicking();
            }
        }
    }

    private void watch(GuestSession session) {
        long limit = session.limits().cpuMillis();
        if (session.usage().cpuNanos() > TimeUnit.MILLISECONDS.toNanos(limit)) {
            session.stop(new SessionEnd.LimitReached(
                    SessionEnd.Limit.CPU,
                    "The script computed for more than its limit of " + limit + " ms; raise limits.cpuMillis"));
        }
        if (!settings.ownProcess() && session.stuck(STUCK_NANOS)) {
            carriers.abandon(session);
            session.abandon();
        }
    }

    private static ScheduledExecutorService newClock() {
        var clock = new ScheduledThreadPoolExecutor(1, daemon("sallyport-clock"));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    private static Thread readingThread(Runnable work) {
        Thread thread = new Thread(null, work, "sallyport-reader", Carriers.STACK_BYTES);
        thread.setDaemon(true);
        return thread;
    }

    private static ThreadFactory daemon(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
