package org.sallyport.sandbox.guest;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.parser.InvalidScriptException;
import org.sallyport.sandbox.parser.ParsedScript;
import org.sallyport.sandbox.parser.PositionMap;

/** The script of a session in its context. Used only on the turns of the session, except {@link #close}. */
final class GuestProgram {
    private final SessionRequest request;
    /** Minimum wait before the session may be parked, in milliseconds; 0 if it must stay. Used only on its turns. */
    private long parkThresholdMillis;

    private final PreparedToolbox toolbox;
    private final GuestRuntime runtime;
    private final SessionNotifier notifier;
    private final ReplayLog log;
    private final GuestTimers timers;
    private final GuestCallRegistry calls;
    private final GuestCompletion completion;

    private volatile @Nullable Context context;
    private volatile boolean closed;
    private @Nullable Value preludeApi;
    private volatile @Nullable DebugEngine debugEngine;

    GuestProgram(
            SessionRequest request,
            PreparedToolbox bench,
            GuestRuntime runtime,
            SessionNotifier voice,
            Consumer<GuestSession.SessionMessage> inbox) {
        this.request = request;
        this.parkThresholdMillis = request.parkAfterMillis();
        this.toolbox = bench;
        this.runtime = runtime;
        this.notifier = voice;
        log = voice.log();
        timers = new GuestTimers(
                runtime.timerExecutor(),
                log,
                request.limits().timers(),
                id -> inbox.accept(each -> each.fireTimer(id)));
        calls = new GuestCallRegistry(request.limits(), voice);
        completion = new GuestCompletion(request.limits());
    }

    void start() {
        PreparedScript prepared;
        try {
            prepared = runtime.prepareScript(request.script());
        } catch (InvalidScriptException invalid) {
            var rejected = invalid.rejection();
            completion.complete(new SessionResult.ScriptThrew(
                    "syntax-error", rejected.message(), rejected.line(), rejected.column(), "", null, 0));
            return;
        }
        PrewarmedContext fresh = openContext(prepared);
        Context created = fresh.context();
        context = created;
        if (closed) {
            created.close(true);
        }
        fresh.bridge()
                .attach(new GuestRequestHandler(
                        created, request, toolbox, runtime.engine(), notifier, log, calls, timers, completion));
        Value booted = fresh.preludeApi();
        booted.invokeMember("begin", setupJson());
        preludeApi = booted;
        run(prepared, created, booted);
    }

    private PrewarmedContext openContext(PreparedScript prepared) {
        if (request.debugMode() == SandboxDebugMode.NONE) {
            return runtime.contextPool().acquire();
        }
        DebugEngine opened = DebugEngine.open(request.debugMode(), positions(prepared));
        debugEngine = opened;
        if (closed) {
            // Otherwise the new context would wait for a debugger forever.
            opened.close();
        }
        opened.debuggerUrl().ifPresent(notifier::notifyDebuggerReady);
        return opened.newContext();
    }

    private String setupJson() {
        SessionLimits limits = request.limits();
        return "{\"argumentChars\":" + limits.argumentChars() + ",\"resultChars\":" + limits.resultChars()
                + ",\"artifactBytes\":" + limits.artifactBytes() + ","
                + toolbox.toolList().backendsJson() + "}";
    }

    private static Map<String, PositionMap> positions(PreparedScript prepared) {
        Map<String, PositionMap> positions = new HashMap<>();
        if (prepared.script() instanceof ParsedScript.ScriptProgram program) {
            positions.put(GuestEngine.SCRIPT_SOURCE, program.positions());
        }
        PreparedScript tests = prepared.tests();
        if (tests != null && tests.script() instanceof ParsedScript.ScriptProgram program) {
            positions.put(GuestEngine.TESTS_SOURCE, program.positions());
        }
        return positions;
    }

    private void run(PreparedScript prepared, Context created, Value booted) {
        completion.setPositions(positions(prepared));
        ParsedScript script = prepared.script();
        PreparedScript tests = prepared.tests();
        Value main;
        if (script instanceof ParsedScript.JsonToolCall call) {
            GuestTool tool = toolbox.toolList().resolve(call.tool());
            main = booted.invokeMember("callOf", tool.backend(), tool.tool(), call.arguments());
        } else {
            main = created.eval(prepared.source());
        }
        if (tests == null) {
            booted.invokeMember(
                    "run", main, script instanceof ParsedScript.ScriptProgram program ? program.nullWarning() : "");
        } else {
            boolean declares = script instanceof ParsedScript.ScriptProgram;
            startTests(booted, main, created.eval(tests.source()), declares);
        }
    }

    /**
     * Starts the tests. A promise that the declarations of the tested script leave rejected does not end the session:
     * the prelude reports it, and ends the session only for rejections of other code.
     */
    private static void startTests(Value booted, Value main, Value suite, boolean declares) {
        try {
            booted.invokeMember("runTests", main, suite, declares);
        } catch (PolyglotException failure) {
            if (!failure.isGuestException() || failure.isCancelled()) {
                throw failure;
            }
            booted.invokeMember("rejected", failure.getGuestObject());
        }
    }

    void resolve(long call, String result) {
        log.replyReceived();
        boolean service = calls.isServiceCall(call);
        if (preludeApi == null || !calls.complete(call)) {
            return;
        }
        Optional<String> error = service ? Optional.empty() : ToolReplyReader.findError(result);
        if (error.isPresent()) {
            preludeApi.invokeMember("reject", Long.toString(call), "tool-failed", error.get(), false, null);
        } else {
            preludeApi.invokeMember("resolve", Long.toString(call), result);
        }
    }

    void reject(long call, GuestError error) {
        log.replyReceived();
        if (preludeApi != null && calls.complete(call)) {
            preludeApi.invokeMember(
                    "reject", Long.toString(call), error.code(), error.message(), error.retryable(), error.details());
        }
    }

    private void fireTimer(int timer) {
        if (preludeApi != null && timers.acceptFired(timer)) {
            log.timerFired(timer);
            preludeApi.invokeMember("fire", timer);
        }
    }

    /** Fires the timers that are due in the replay. When the replay is over, starts the deferred timers. */
    void replayTimers() {
        Value booted = preludeApi;
        for (OptionalInt due = log.dueTimer();
                booted != null && due.isPresent() && sessionResult() == null;
                due = log.dueTimer()) {
            int timer = due.getAsInt();
            if (!timers.acceptFired(timer)) {
                completion.complete(
                        GuestCompletion.divergenceResult("it does not start the timer that fired next then"));
                return;
            }
            log.timerFired(timer);
            booted.invokeMember("fire", timer);
        }
        if (sessionResult() == null && log.isFull()) {
            completion.complete(GuestCompletion.replayLogFullResult());
        } else if (!log.isReplaying()) {
            timers.startDeferred();
        }
    }

    /** Continues without promises that cannot settle anymore: with the next test. */
    void resumeStalled() {
        Value booted = preludeApi;
        while (booted != null && sessionResult() == null && !isWaiting()) {
            if (!booted.invokeMember("stalled").asBoolean()) {
                return;
            }
        }
    }

    /** Returns the result if the script ended by itself, else null. */
    @Nullable SessionResult sessionResult() {
        return completion.sessionResult();
    }

    /** Returns whether a pending call or timer can still wake the script. */
    boolean isWaiting() {
        return calls.hasOpen() || timers.hasPending();
    }

    /** Marks an open call whose answer will take long. */
    void postpone(long call) {
        calls.postpone(call);
    }

    /** Lowers the park threshold; has no effect when the session may not be parked. */
    void lowerParkThreshold(long millis) {
        parkThresholdMillis = parkThresholdMillis == 0 ? 0 : Math.max(1, Math.min(millis, parkThresholdMillis));
    }

    /** Returns the parked result if the script waits long enough, only for timers and postponed answers; else null. */
    @Nullable SessionResult parkedResult() {
        if (parkThresholdMillis == 0 || calls.hasAwaited() || log.isReplaying()) {
            return null;
        }
        if (!timers.hasPending()) {
            return calls.hasOpen() ? new SessionResult.SessionParked(0, calls.openCalls()) : null;
        }
        long left = timers.millisToFirst();
        return left >= parkThresholdMillis ? new SessionResult.SessionParked(left, calls.openCalls()) : null;
    }

    /** Maps an exception of the engine to a result; marks the runtime as damaged when the engine itself failed. */
    SessionResult mapFailure(PolyglotException failure) {
        SessionResult meant = completion.mapFailure(failure, preludeApi);
        if (failure.isResourceExhausted()) {
            runtime.markDamaged();
        }
        if (meant == null) {
            runtime.markDamaged();
            return GuestCompletion.engineFailureResult();
        }
        return meant;
    }

    /** Frees the context and stops its running code. Callable from any thread. */
    void close() {
        closed = true;
        Context present = context;
        if (present != null) {
            present.close(true);
        }
        DebugEngine used = debugEngine;
        if (used != null) {
            if (used.hasStackOverflowed()) {
                runtime.markDamaged();
            }
            used.close();
        }
    }

    /** Returns the profile, if the session was profiled. Called once, when the session is over. */
    Optional<String> profile() {
        DebugEngine used = debugEngine;
        return used == null ? Optional.empty() : used.profile();
    }

    void clearTimers() {
        timers.clear();
    }
}
