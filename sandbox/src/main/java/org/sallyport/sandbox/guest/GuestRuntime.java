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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.parser.InvalidScriptException;
import org.sallyport.sandbox.parser.ReferenceScan;
import org.sallyport.sandbox.parser.ScriptParser;
import org.sallyport.sandbox.parser.ScriptRole;

/** Runs all sessions of one process: the engine, the guest threads, the timers and the limit checks. Thread-safe. */
public final class GuestRuntime implements AutoCloseable {
    private static final long TICK_MILLIS = 20;
    private static final long STUCK_TIMEOUT_NANOS = 1_500_000_000L;
    private static final int STOP_THREADS = 4;
    /** Stands for the script of tests without one. */
    private static final Script NO_IMPLEMENTATION =
            new Script("throw new Error('There is no script to run: send it as code')", SourceLanguage.JAVASCRIPT);

    private static final Duration CLOSE_TIMEOUT = Duration.ofNanos(STUCK_TIMEOUT_NANOS);

    private final GuestSettings settings;
    private final Runnable afterTurn;
    private final GuestEngine engine = new GuestEngine();
    private final ScriptParser scriptParser;
    private final PreparedScriptCache scriptCache = new PreparedScriptCache();
    private final ContextPool contextPool;
    private final GuestThreads guestThreads;
    private final TurnGate turnGate;
    private final ScheduledExecutorService timerExecutor = newTimerExecutor();
    private final ExecutorService interruptExecutor =
            Executors.newCachedThreadPool(daemonFactory("sallyport-interrupter"));
    private final ThreadPoolExecutor stopExecutor = newStopExecutor();
    /** A separate thread, so that a check does not wait for computing scripts. */
    private final ExecutorService checkExecutor = Executors.newSingleThreadExecutor(GuestRuntime::newCheckThread);

    private final @Nullable MemoryMonitor memoryMonitor;
    private final Set<GuestSession> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean damaged;
    private volatile @Nullable LastPreparedToolbox lastToolbox;

    private record LastPreparedToolbox(Toolbox toolbox, PreparedToolbox prepared) {}

    /**
     * @param afterTurn run after each turn and each limit check, to send the pending messages of the sessions
     */
    public GuestRuntime(GuestSettings settings, Runnable afterTurn) {
        this.settings = settings;
        this.afterTurn = afterTurn;
        scriptParser = new ScriptParser(engine, settings.libraryDirectory(), this::markDamaged);
        contextPool = new ContextPool(engine, settings.threads());
        guestThreads = new GuestThreads(settings.threads(), contextPool::prewarm);
        turnGate = new TurnGate(guestThreads::execute);
        memoryMonitor = settings.dedicatedProcess() ? new MemoryMonitor(scriptCache::clear) : null;
    }

    /** Starts a session; {@code listener} is called on guest threads and on the timer thread. */
    public GuestSession start(SessionRequest request, SessionListener listener) {
        GuestSession session = new GuestSession(this, request, prepareToolbox(request.toolbox()), listener);
        sessions.add(session);
        session.start();
        startTicking();
        return session;
    }

    /** Checks a script without running it. Checks run one at a time, in order of arrival. */
    public CompletionStage<ScriptCheckResult> check(Script script) {
        return runCheck(() -> checkScript(script));
    }

    /** Checks a script, as {@link #check}, and finds the names that it refers to. */
    public CompletionStage<CheckedScript> checkWithReferences(Script script) {
        return runCheck(() -> {
            ScriptCheckResult result = checkScript(script);
            return new CheckedScript(result, findReferences(script, result));
        });
    }

    private static ScriptReferences findReferences(Script script, ScriptCheckResult result) {
        try {
            return ReferenceScan.of(script, result);
        } catch (RuntimeException failure) {
            // The result of the check must not be lost: the server would wait for it.
            return ScriptReferences.NONE;
        }
    }

    private <T> CompletionStage<T> runCheck(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, checkExecutor);
        } catch (RejectedExecutionException closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
    }

    private ScriptCheckResult checkScript(Script script) {
        try {
            PreparedScript prepared = prepareScript(script);
            return new ScriptCheckResult.ScriptAccepted(
                    script.language() == SourceLanguage.UNSPECIFIED ? prepared.language() : script.language(),
                    prepared.script().fenced());
        } catch (InvalidScriptException invalid) {
            return invalid.rejection();
        } catch (StackOverflowError failure) {
            markDamaged();
            return rejected();
        } catch (RuntimeException failure) {
            return rejected();
        }
    }

    private static ScriptCheckResult rejected() {
        return new ScriptCheckResult.ScriptRejected("The script cannot be parsed", 0, 0, "");
    }

    /** Parses a script without running it, so that the first real script of this kind is not slow. */
    public void warmUp() {
        scriptParser.warmUp();
    }

    /** Returns the sessions that are computing now. */
    public List<GuestSession> computingSessions() {
        return guestThreads.computing();
    }

    /** Returns the number of live sessions. */
    public int sessionCount() {
        return sessions.size();
    }

    /** Returns the share of the heap that survived the last collection, from 0 to 1; 0 when memory is not monitored. */
    public double heapFullness() {
        return memoryMonitor == null ? 0 : memoryMonitor.heapFullness();
    }

    /** Returns whether a failure occurred after which this runtime should get no new sessions. */
    public boolean isDamaged() {
        return damaged || engine.hasStackOverflowed();
    }

    /** Ends all sessions as {@link SessionResult.SessionLossReason#UNAVAILABLE}. */
    @Override
    public void close() {
        var lost = new SessionResult.SessionLost(SessionResult.SessionLossReason.UNAVAILABLE, "The sandbox was closed");
        sessions.forEach(session -> session.stop(lost));
        long deadline = System.nanoTime() + STUCK_TIMEOUT_NANOS;
        while (!sessions.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        sessions.forEach(GuestSession::abandon);
        timerExecutor.shutdownNow();
        checkExecutor.shutdown();
        interruptExecutor.shutdown();
        stopExecutor.shutdown();
        // All threads must stop first: creating or closing a context on one thread while another closes the engine may
        // break the engines of the whole process.
        guestThreads.close(CLOSE_TIMEOUT);
        awaitTermination(interruptExecutor);
        awaitTermination(stopExecutor);
        awaitTermination(checkExecutor);
        contextPool.close();
        scriptParser.close();
        engine.close();
    }

    private static void awaitTermination(ExecutorService threads) {
        try {
            var unused = threads.awaitTermination(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    GuestEngine engine() {
        return engine;
    }

    ContextPool contextPool() {
        return contextPool;
    }

    GuestThreads guestThreads() {
        return guestThreads;
    }

    TurnGate turnGate() {
        return turnGate;
    }

    ScheduledExecutorService timerExecutor() {
        return timerExecutor;
    }

    PreparedScript prepareScript(Script script) throws InvalidScriptException {
        Optional<PreparedScript> known = scriptCache.find(script);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<TestScript> tests = TestScript.parse(script);
        PreparedScript read = tests.isPresent()
                ? prepareTests(tests.get())
                : PreparedScript.of(scriptParser.parse(script, ScriptRole.SCRIPT));
        // A script whose language was not given runs under the language that was found.
        boolean given = script.language() != SourceLanguage.UNSPECIFIED;
        scriptCache.put(given ? script : new Script(script.code(), read.language()), read);
        return read;
    }

    private PreparedScript prepareTests(TestScript script) throws InvalidScriptException {
        Script implementation = script.implementation();
        boolean given = !implementation.code().isBlank();
        PreparedScript prepared = PreparedScript.withTests(
                scriptParser.parse(given ? implementation : NO_IMPLEMENTATION, ScriptRole.TESTED),
                scriptParser.parse(script.tests(), ScriptRole.TESTS));
        boolean bothTyped = implementation.language() == SourceLanguage.UNSPECIFIED
                && given
                && prepared.language() == SourceLanguage.TYPESCRIPT;
        // Both parts are stored and run in one language.
        return bothTyped ? prepareTests(script.withLanguage(SourceLanguage.TYPESCRIPT)) : prepared;
    }

    void interrupt(Runnable closing) {
        try {
            interruptExecutor.execute(closing);
        } catch (RejectedExecutionException alreadyClosed) {
            closing.run();
        }
    }

    /** Runs the last turn of a session that does not compute; does not wait for a guest thread. */
    void endWaiting(Runnable lastTurn) {
        try {
            stopExecutor.execute(lastTurn);
        } catch (RejectedExecutionException alreadyClosed) {
            lastTurn.run();
        }
    }

    void removeSession(GuestSession session) {
        sessions.remove(session);
    }

    void turnEnded() {
        afterTurn.run();
    }

    void markDamaged() {
        damaged = true;
    }

    private PreparedToolbox prepareToolbox(Toolbox toolbox) {
        LastPreparedToolbox last = lastToolbox;
        if (last == null || !last.toolbox().equals(toolbox)) {
            last = new LastPreparedToolbox(toolbox, PreparedToolbox.of(toolbox));
            lastToolbox = last;
        }
        return last.prepared();
    }

    private void startTicking() {
        if (ticking.compareAndSet(false, true)) {
            var unused = timerExecutor.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void tick() {
        try {
            sessions.forEach(GuestSession::flushOutput);
            guestThreads.computing().forEach(this::enforceLimits);
            guestThreads.growIfBusy(System.nanoTime());
            if (memoryMonitor != null) {
                memoryMonitor.checkSessions(sessions);
            }
            afterTurn.run();
        } finally {
            ticking.set(false);
            if (!sessions.isEmpty()) {
                startTicking();
            }
        }
    }

    private void enforceLimits(GuestSession session) {
        long limit = session.limits().cpuMillis();
        if (session.usage().cpuNanos() > TimeUnit.MILLISECONDS.toNanos(limit)) {
            session.stop(new SessionResult.SessionLimitReached(
                    SessionResult.SessionLimitType.CPU,
                    "The script computed for more than its limit of " + limit + " ms; raise limits.cpuMillis"));
        }
        if (!settings.dedicatedProcess() && session.isStuckFor(STUCK_TIMEOUT_NANOS)) {
            guestThreads.replaceStuckThread(session);
            session.abandon();
        }
    }

    private static ScheduledExecutorService newTimerExecutor() {
        var clock = new ScheduledThreadPoolExecutor(1, daemonFactory("sallyport-clock"));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    /** Few threads, because many sessions may be stopped at the same time. */
    private static ThreadPoolExecutor newStopExecutor() {
        var stopper = new ThreadPoolExecutor(
                STOP_THREADS,
                STOP_THREADS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                daemonFactory("sallyport-stopper"));
        stopper.allowCoreThreadTimeOut(true);
        return stopper;
    }

    private static Thread newCheckThread(Runnable work) {
        Thread thread = new Thread(null, work, "sallyport-reader", GuestThreads.STACK_BYTES);
        thread.setDaemon(true);
        return thread;
    }

    private static ThreadFactory daemonFactory(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
