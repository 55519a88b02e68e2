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
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.source.InvalidScriptException;
import org.sallyport.sandbox.source.PositionMap;
import org.sallyport.sandbox.source.ReadScript;

/** The script of a session in its context. Used on the session's turns only, but for {@link #close}. */
final class GuestProgram {
    private final SessionRequest request;
    /** From what time of waiting on it need not stay, in milliseconds; 0 when it must. Used in its turns only. */
    private long park;

    private final Workbench bench;
    private final GuestRuntime runtime;
    private final GuestVoice voice;
    private final RunLog log;
    private final GuestTimers timers;
    private final GuestCalls calls;
    private final GuestEnding ending;

    private volatile @Nullable Context context;
    private volatile boolean closed;
    private @Nullable Value api;
    private volatile @Nullable Instrument instrument;

    GuestProgram(
            SessionRequest request,
            Workbench bench,
            GuestRuntime runtime,
            GuestVoice voice,
            Consumer<GuestSession.Delivery> inbox) {
        this.request = request;
        this.park = request.parkMillis();
        this.bench = bench;
        this.runtime = runtime;
        this.voice = voice;
        log = voice.log();
        timers = new GuestTimers(
                runtime.clock(), log, request.limits().timers(), id -> inbox.accept(each -> each.fire(id)));
        calls = new GuestCalls(request.limits(), voice);
        ending = new GuestEnding(request.limits());
    }

    void begin() {
        Prepared prepared;
        try {
            prepared = runtime.prepared(request.script());
        } catch (InvalidScriptException invalid) {
            var rejected = invalid.rejected();
            ending.settle(new SessionEnd.Threw(
                    "syntax-error", rejected.message(), rejected.line(), rejected.column(), "", null, 0));
            return;
        }
        FreshContext fresh = fresh(prepared);
        Context created = fresh.context();
        context = created;
        if (closed) {
            created.close(true);
        }
        fresh.bridge()
                .attach(new GuestRequests(
                        created, request, bench, runtime.engine(), voice, log, calls, timers, ending));
        Value booted = fresh.api();
        booted.invokeMember("begin", setup());
        api = booted;
        run(prepared, created, booted);
    }

    private FreshContext fresh(Prepared prepared) {
        if (request.debug() == Debug.NONE) {
            return runtime.contexts().take();
        }
        Instrument opened = Instrument.open(request.debug(), positions(prepared));
        instrument = opened;
        if (closed) {
            // Otherwise it would wait for a debugger for ever.
            opened.close();
        }
        opened.url().ifPresent(voice::inspectable);
        return opened.context();
    }

    private String setup() {
        SessionLimits limits = request.limits();
        return "{\"argumentChars\":" + limits.argumentChars() + ",\"resultChars\":" + limits.resultChars()
                + ",\"artifactBytes\":" + limits.artifactBytes() + ","
                + bench.menu().backends() + "}";
    }

    private static Map<String, PositionMap> positions(Prepared prepared) {
        Map<String, PositionMap> positions = new HashMap<>();
        if (prepared.script() instanceof ReadScript.Program program) {
            positions.put(GuestEngine.SCRIPT, program.positions());
        }
        Prepared tests = prepared.tests();
        if (tests != null && tests.script() instanceof ReadScript.Program program) {
            positions.put(GuestEngine.TESTS, program.positions());
        }
        return positions;
    }

    private void run(Prepared prepared, Context created, Value booted) {
        ending.positions(positions(prepared));
        ReadScript script = prepared.script();
        Prepared tests = prepared.tests();
        Value main;
        if (script instanceof ReadScript.ToolCall call) {
            GuestTool tool = bench.menu().split(call.tool());
            main = booted.invokeMember("callOf", tool.backend(), tool.tool(), call.arguments());
        } else {
            main = created.eval(prepared.source());
        }
        if (tests == null) {
            booted.invokeMember("run", main);
        } else {
            booted.invokeMember("runTests", main, created.eval(tests.source()));
        }
    }

    void resolve(long call, String result) {
        log.replied();
        boolean service = calls.isService(call);
        if (api == null || !calls.close(call)) {
            return;
        }
        Optional<String> fault = service ? Optional.empty() : Replies.fault(result);
        if (fault.isPresent()) {
            api.invokeMember("reject", Long.toString(call), "tool-failed", fault.get(), false, null);
        } else {
            api.invokeMember("resolve", Long.toString(call), result);
        }
    }

    void reject(long call, GuestError error) {
        log.replied();
        if (api != null && calls.close(call)) {
            api.invokeMember(
                    "reject", Long.toString(call), error.code(), error.message(), error.retryable(), error.details());
        }
    }

    private void fire(int timer) {
        if (api != null && timers.due(timer)) {
            log.fired(timer);
            api.invokeMember("fire", timer);
        }
    }

    /** Does what follows here in the past without an answer from outside; once the past is over, time goes on. */
    void catchUp() {
        Value booted = api;
        for (OptionalInt due = log.due(); booted != null && due.isPresent() && settled() == null; due = log.due()) {
            int timer = due.getAsInt();
            if (!timers.due(timer)) {
                ending.settle(GuestEnding.diverged("it does not start the timer that fired next then"));
                return;
            }
            log.fired(timer);
            booted.invokeMember("fire", timer);
        }
        if (settled() == null && log.full()) {
            ending.settle(GuestEnding.recordFull());
        } else if (!log.repeats()) {
            timers.release();
        }
    }

    /** Goes on with what does not need what nothing can bring any more: with the next test. */
    void unstick() {
        Value booted = api;
        while (booted != null && settled() == null && !waiting()) {
            if (!booted.invokeMember("stalled").asBoolean()) {
                return;
            }
        }
    }

    /** How it ended by its own doing, or null. */
    @Nullable SessionEnd settled() {
        return ending.settled();
    }

    /** Whether anything can still wake it. */
    boolean waiting() {
        return calls.anyOpen() || timers.pending();
    }

    /** The answer to a call will take long. */
    void postpone(long call) {
        calls.postpone(call);
    }

    /** From now on it need not stay when it waits this long, unless it must stay anyway. */
    void park(long millis) {
        park = park == 0 ? 0 : Math.max(1, Math.min(millis, park));
    }

    /** That it waits so long for its timers and postponed answers alone that it need not stay, or null. */
    @Nullable SessionEnd parked() {
        if (park == 0 || calls.anyAwaited() || log.repeats()) {
            return null;
        }
        if (!timers.pending()) {
            return calls.anyOpen() ? new SessionEnd.Parked(0) : null;
        }
        long left = timers.left();
        return left >= park ? new SessionEnd.Parked(left) : null;
    }

    /** What a failure that came out of the engine means. */
    SessionEnd failure(PolyglotException failure) {
        SessionEnd meant = ending.failure(failure, api);
        if (meant == null) {
            runtime.damaged();
            return GuestEnding.engineFailure();
        }
        return meant;
    }

    /** Frees the context, and stops what runs in it. From any thread. */
    void close() {
        closed = true;
        Context present = context;
        if (present != null) {
            present.close(true);
        }
        Instrument used = instrument;
        if (used != null) {
            used.close();
        }
    }

    /** What was sampled, once and when the session is over. */
    Optional<String> profile() {
        Instrument used = instrument;
        return used == null ? Optional.empty() : used.profile();
    }

    void clearTimers() {
        timers.clear();
    }
}
