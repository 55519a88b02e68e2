package org.sallyport.runner;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.sallyport.bridge.CallGate.Verdict;
import org.sallyport.execution.Claim;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Grants;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** The calls of one execution that have no answer yet: judged, sent, answered and noted here. Thread-safe. */
final class OpenCalls {
    private final Claim claim;
    private final Grants grants;
    private final RunContext context;
    private final EntryBuffer entries;
    private final CompletableFuture<SandboxSession> session;
    private final BooleanSupplier beforeEffect;
    private final HostCalls host;
    private final Map<Long, Call> open = new ConcurrentHashMap<>();
    private volatile boolean effectful;

    /** @param left whether it may be changing something by now */
    private record Call(ToolName tool, long startedNanos, boolean left) {
        Call leaving() {
            return new Call(tool, startedNanos, true);
        }

        long millis() {
            return (System.nanoTime() - startedNanos) / 1_000_000;
        }
    }

    /** @param beforeEffect stores all that came before an effect; false when the effect must not leave */
    OpenCalls(
            Claim claim,
            RunContext context,
            EntryBuffer entries,
            CompletableFuture<SandboxSession> session,
            BooleanSupplier beforeEffect) {
        this.claim = claim;
        this.grants = new Grants(claim.grants());
        this.context = context;
        this.entries = entries;
        this.session = session;
        this.beforeEffect = beforeEffect;
        this.host = new HostCalls(claim, context);
    }

    /** The script called; the rest happens on {@code tasks}. */
    void opened(long call, ToolName tool, String arguments, Executor tasks) {
        if (!tool.isWellFormed()) {
            refuse(call, tool);
            return;
        }
        Json json = new Json(arguments);
        open.put(call, new Call(tool, System.nanoTime(), false));
        if (tool.backend().equals(HostServices.BACKEND)) {
            entries.started(call, tool, HostCalls.traced(json));
            tasks.execute(() -> ask(call, tool.tool(), json));
        } else {
            entries.started(call, tool, json);
            tasks.execute(() -> send(call, tool, json));
        }
    }

    /** The trace could not tell such a name from another's: the call is none. */
    private void refuse(long call, ToolName tool) {
        ToolResult refusal = ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no tool '" + tool + "'");
        session.thenAccept(live -> deliver(live, call, refusal));
    }

    private void ask(long call, String service, Json arguments) {
        if (HostCalls.isEffect(service) && !beforeEffect.getAsBoolean() || !open.containsKey(call)) {
            return;
        }
        // An artifact that is written again is the same one; an event has been heard.
        effectful = effectful || service.equals(HostServices.EVENT_EMIT);
        try {
            host.answer(call, service, arguments).thenAccept(result -> answer(call, ToolReply.local(result)));
        } catch (StoreUnavailableException e) {
            answer(
                    call,
                    ToolReply.local(ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE, "the database does not answer; try again later")));
        }
    }

    private void send(long call, ToolName tool, Json arguments) {
        Verdict verdict = context.gate().judge(grants, tool, arguments);
        if (verdict instanceof Verdict.Refuse refuse) {
            answer(call, ToolReply.local(new ToolResult.Failure(refuse.error())));
        } else if (verdict instanceof Verdict.Pass pass) {
            if (!pass.tool().spec().hints().readOnly() && !beforeEffect.getAsBoolean()) {
                return;
            }
            boolean effect = !pass.tool().spec().hints().readOnly();
            Call still = open.computeIfPresent(call, (any, waiting) -> effect ? waiting.leaving() : waiting);
            if (still == null) {
                return; // the execution ended while this waited for the store: nothing may leave any more
            }
            effectful = effectful || effect;
            Duration time = context.limits().call();
            context.bridge()
                    .send(new ToolCall(
                            id(call),
                            claim.tenant(),
                            tool,
                            arguments,
                            context.clock().instant().plus(time)))
                    .thenAccept(reply -> answer(call, reply));
        }
    }

    /** Whether a call left that may have changed something. */
    boolean effectful() {
        return effectful;
    }

    private void answer(long call, ToolReply reply) {
        // Noted and delivered under one lock: the order in the journal is the order in which the script hears.
        synchronized (this) {
            Call answered = open.remove(call);
            if (answered == null) {
                return;
            }
            entries.ended(call, answered.tool(), answered.millis(), traced(answered.tool(), reply));
            session.thenAccept(live -> deliver(live, call, reply.result()));
        }
    }

    private static ToolReply traced(ToolName tool, ToolReply reply) {
        return tool.backend().equals(HostServices.BACKEND) && reply.result() instanceof ToolResult.Success success
                ? ToolReply.local(ToolResult.success(HostCalls.traced(success.value())))
                : reply;
    }

    private static void deliver(SandboxSession session, long call, ToolResult result) {
        if (result instanceof ToolResult.Success success) {
            session.resolve(call, success.value().text());
        } else if (result instanceof ToolResult.Failure failure) {
            ToolError error = failure.error();
            session.reject(
                    call,
                    new GuestError(
                            error.code().code(),
                            error.message(),
                            error.code().retryable(),
                            error.details().map(Json::text).orElse(null)));
        }
    }

    /** The run is over: calls still open are cancelled, and the trace says so, or that they may have happened. */
    synchronized void close() {
        host.close();
        ToolReply cancelled = ToolReply.local(
                ToolResult.failure(ToolErrorCode.CANCELLED, "the run ended before the call was answered"));
        ToolReply unknown = ToolReply.local(ToolResult.failure(
                ToolErrorCode.OUTCOME_UNKNOWN, "the run ended before the call was answered; it may have happened"));
        open.keySet().stream().sorted().forEach(call -> {
            Call closed = open.remove(call);
            if (closed != null) {
                entries.ended(call, closed.tool(), closed.millis(), closed.left() ? unknown : cancelled);
                context.bridge().cancel(id(call));
            }
        });
    }

    private CallId id(long call) {
        return new CallId(claim.fence().id().toString(), call);
    }
}
