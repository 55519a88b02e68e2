package org.sallyport.sandbox.guest;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.source.InvalidScriptException;
import org.sallyport.sandbox.source.PositionMap;
import org.sallyport.sandbox.source.ReadScript;

/** The script of a session in its context. Used on the session's turns only, but for {@link #close}. */
final class GuestProgram implements GuestBridge.Host {
    private static final int MAX_MESSAGE = 10_000;

    private final SessionRequest request;
    private final ToolMenu menu;
    private final GuestRuntime runtime;
    private final GuestVoice voice;
    private final GuestTimers timers;
    private final Set<Long> openCalls = new HashSet<>();

    private volatile @Nullable Context context;
    private volatile boolean closed;
    private @Nullable Value api;
    private PositionMap positions = PositionMap.unchanged();
    private long calls;
    private @Nullable SessionEnd settled;

    GuestProgram(
            SessionRequest request,
            ToolMenu menu,
            GuestRuntime runtime,
            GuestVoice voice,
            Consumer<GuestSession.Delivery> inbox) {
        this.request = request;
        this.menu = menu;
        this.runtime = runtime;
        this.voice = voice;
        timers = new GuestTimers(runtime.clock(), request.limits().timers(), id -> inbox.accept(each -> each.fire(id)));
    }

    void begin() {
        Prepared prepared;
        try {
            prepared = runtime.prepared(request.script());
        } catch (InvalidScriptException invalid) {
            var rejected = invalid.rejected();
            settled = new SessionEnd.Threw(
                    "syntax-error", rejected.message(), rejected.line(), rejected.column(), "", null, 0);
            return;
        }
        FreshContext fresh = runtime.contexts().take();
        Context created = fresh.context();
        context = created;
        if (closed) {
            created.close(true);
        }
        SessionLimits limits = request.limits();
        String setup = "{\"argumentChars\":" + limits.argumentChars() + ",\"resultChars\":" + limits.resultChars() + ","
                + menu.backends() + "}";
        fresh.bridge().attach(this);
        Value booted = fresh.api();
        booted.invokeMember("begin", setup);
        api = booted;
        if (prepared.script() instanceof ReadScript.ToolCall call) {
            GuestTool tool = menu.split(call.tool());
            booted.invokeMember("runCall", tool.backend(), tool.tool(), call.arguments());
        } else if (prepared.script() instanceof ReadScript.Program read) {
            positions = read.positions();
            booted.invokeMember("run", created.eval(prepared.source()));
        }
    }

    void resolve(long call, String result) {
        if (api != null && openCalls.remove(call)) {
            api.invokeMember("resolve", Long.toString(call), result);
        }
    }

    void reject(long call, GuestError error) {
        if (api != null && openCalls.remove(call)) {
            api.invokeMember(
                    "reject", Long.toString(call), error.code(), error.message(), error.retryable(), error.details());
        }
    }

    private void fire(int timer) {
        if (api != null && timers.due(timer)) {
            api.invokeMember("fire", timer);
        }
    }

    /** How it ended by its own doing, or null. */
    @Nullable SessionEnd settled() {
        return settled;
    }

    /** Whether anything can still wake it. */
    boolean waiting() {
        return !openCalls.isEmpty() || timers.pending();
    }

    static SessionEnd deadlock() {
        return new SessionEnd.Threw(
                "deadlock", "The script waits for a promise that nothing can settle any more", 0, 0, "", null, 0);
    }

    static SessionEnd engineFailure() {
        return new SessionEnd.Threw("script-error", "The script engine failed on this script", 0, 0, "", null, 0);
    }

    /** What a failure that came out of the engine means. */
    SessionEnd failure(PolyglotException failure) {
        if (failure.isGuestException() && !failure.isCancelled() && api != null) {
            // All else is caught in the prelude: what comes through is a rejection that nobody handles.
            try {
                api.invokeMember("tell", failure.getGuestObject(), "unhandled-rejection");
            } catch (PolyglotException again) {
                settled = null;
            }
            return settled != null ? settled : engineFailure();
        }
        String message = String.valueOf(failure.getMessage());
        if (failure.isResourceExhausted() && message.contains("frame limit")) {
            return new SessionEnd.Threw(
                    "script-error", "RangeError: Maximum call stack size exceeded", 0, 0, "", null, 0);
        }
        if (failure.isResourceExhausted()) {
            return new SessionEnd.LimitReached(SessionEnd.Limit.MEMORY, MemoryWatch.message(request.limits()));
        }
        runtime.damaged();
        return engineFailure();
    }

    /** Frees the context, and stops what runs in it. From any thread. */
    void close() {
        closed = true;
        Context present = context;
        if (present != null) {
            present.close(true);
        }
    }

    void clearTimers() {
        timers.clear();
    }

    // ---- asked by the prelude

    @Override
    public String call(String backend, String tool, String arguments) {
        SessionLimits limits = request.limits();
        if (calls >= limits.toolCalls()) {
            return "!The script made its " + limits.toolCalls() + " tool calls; raise limits.toolCalls for more";
        }
        if (openCalls.size() >= limits.concurrentCalls()) {
            return "!" + limits.concurrentCalls() + " tool calls are open at once already";
        }
        long ordinal = ++calls;
        openCalls.add(ordinal);
        voice.call(ordinal, backend, tool, arguments);
        return Long.toString(ordinal);
    }

    @Override
    public void print(OutputStreamKind stream, String text) {
        voice.print(stream, text);
    }

    @Override
    public String startTimer(int id, double millis, boolean repeat) {
        return timers.start(id, millis, repeat);
    }

    @Override
    public void clearTimer(int id) {
        timers.cancel(id);
    }

    @Override
    public String menu(String backend) {
        return menu.tools(backend);
    }

    @Override
    public String input(String name) {
        return name.equals("args") ? request.args() : request.context();
    }

    @Override
    public Value part(String name) {
        Context present = context;
        if (present == null) {
            throw new IllegalStateException();
        }
        return runtime.engine().part(present, name);
    }

    @Override
    public String stack(String text) {
        return StackText.of(text, positions).text();
    }

    @Override
    public void returned(String result) {
        settled = new SessionEnd.Returned(result);
    }

    @Override
    public void threw(String code, String message, String stack, String tool, long call) {
        StackText text = StackText.of(stack, positions);
        settled = new SessionEnd.Threw(
                code,
                cut(message),
                text.place().line(),
                text.place().column(),
                text.frames(),
                tool.isEmpty() ? null : tool,
                call);
    }

    @Override
    public void resultTooLarge() {
        settled = new SessionEnd.LimitReached(
                SessionEnd.Limit.RESULT,
                "The result is longer than " + request.limits().resultChars()
                        + " characters; raise limits.resultChars or return less");
    }

    private static String cut(String message) {
        if (message.length() <= MAX_MESSAGE) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_MESSAGE - 1)) ? MAX_MESSAGE - 1 : MAX_MESSAGE;
        return message.substring(0, end) + "…";
    }
}
