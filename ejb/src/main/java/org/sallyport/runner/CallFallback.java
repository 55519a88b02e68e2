package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.sallyport.bridge.ToolCallAuthorizer.AuthorizationDecision;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.Cost;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Has the calls of one execution that did not come to their backends made by those that stand in for these. Nobody gets in so who could not be
 * called by name: each is judged as a call of its own, and does no more than the one that was called. The journal says where a call went before it
 * goes there: a run after a death must not have its effect at the other.
 */
final class CallFallback {
    private static final Logger LOG = System.getLogger(CallFallback.class.getName());

    private final EngineServices context;
    private final JournalBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier flushBeforeEffect;
    private final CallPort callPort;
    /** Where calls went, by their ordinals. */
    private final Map<Long, List<ToolName>> fallbackTools = new ConcurrentHashMap<>();

    /** What is done with any call. */
    interface CallPort {
        /** May wait for the store, and throws its exception. */
        AuthorizationDecision authorize(PendingCall call);

        /** What a call of it costs; empty when nobody can tell. As {@link #authorize}. */
        Optional<Cost> cost(CatalogTool tool, Json arguments);

        /** Whether the call of that ordinal waits for its answer, and calls may leave. */
        boolean canSend(long call);

        CompletionStage<ToolReply> send(PendingCall call, Instant deadline);
    }

    /**
     * A call that was to reach its backend.
     *
     * @param tool what was called
     * @param deadline when nobody waits for an answer any more
     */
    record FailedCall(PendingCall call, CatalogTool tool, Instant deadline) {
        private boolean hasEffect() {
            return !tool.spec().hints().readOnly();
        }
    }

    /** @param rule by which it may be called */
    private record FallbackCall(PendingCall call, String rule) {}

    /**
     * @param before where calls of earlier runs went
     * @param tasks runs what waits for the store
     * @param beforeEffect stores all that came before an effect; false when the effect must not leave
     */
    CallFallback(
            EngineServices context,
            JournalBuffer entries,
            Map<Long, List<ToolName>> before,
            Executor tasks,
            BooleanSupplier beforeEffect,
            CallPort way) {
        this.context = context;
        this.entries = entries;
        this.tasks = tasks;
        this.flushBeforeEffect = beforeEffect;
        this.callPort = way;
        fallbackTools.putAll(before);
    }

    /** Tools that were called in the place of others, by calls before that one: what they gave has come to the script. */
    List<ToolName> toolsUsedBefore(long call) {
        List<ToolName> all = new ArrayList<>();
        fallbackTools.forEach((ordinal, tools) -> {
            if (ordinal < call) {
                all.addAll(tools);
            }
        });
        return all;
    }

    /** The answer of who stands in, where {@code reply} says that the call is nobody's yet and somebody may; else {@code reply}. */
    CompletionStage<ToolReply> retryOnFallback(ToolReply reply, FailedCall missed) {
        return tryNext(reply, missed, missed.tool().backend().fallbacks().iterator());
    }

    private CompletionStage<ToolReply> tryNext(ToolReply reply, FailedCall missed, Iterator<String> others) {
        if (!others.hasNext() || !isSafeToRetry(reply, missed)) {
            return CompletableFuture.completedStage(reply);
        }
        CompletableFuture<ToolReply> answer = new CompletableFuture<>();
        tasks.execute(() -> {
            CompletionStage<ToolReply> other;
            try {
                other = callFallback(reply, missed, others);
            } catch (RuntimeException e) {
                // Whoever may not be judged now is not called.
                LOG.log(
                        Level.WARNING,
                        "call {0}: nobody could stand in: {1}",
                        missed.call().ordinal(),
                        e.getMessage());
                other = CompletableFuture.completedStage(reply);
            }
            other.thenAccept(answer::complete);
        });
        return answer;
    }

    /** Whether no tool can have been called, or it does not matter. */
    private boolean isSafeToRetry(ToolReply reply, FailedCall missed) {
        return reply.result() instanceof ToolResult.ToolFailure failure
                && (failure.error().code() == ToolErrorCode.BACKEND_UNAVAILABLE
                        || failure.error().code() == ToolErrorCode.BACKEND_STARTING)
                && (!missed.hasEffect()
                        || reply.attempts() == 0 && !missed.call().maybeSent())
                && context.clock().instant().isBefore(missed.deadline());
    }

    private CompletionStage<ToolReply> callFallback(ToolReply reply, FailedCall missed, Iterator<String> others) {
        Optional<FallbackCall> found = findFallback(missed, others);
        long ordinal = missed.call().ordinal();
        if (found.isEmpty() || !callPort.canSend(ordinal)) {
            return CompletableFuture.completedStage(reply);
        }
        PendingCall call = found.get().call();
        fallbackTools.merge(ordinal, List.of(call.tool()), CallFallback::concat);
        entries.addPolicyDecision(ordinal, call.tool(), found.get().rule(), TraceEvent.PolicyDecided.FALLBACK);
        if (missed.hasEffect() && (!flushBeforeEffect.getAsBoolean() || !callPort.canSend(ordinal))) {
            return CompletableFuture.completedStage(reply);
        }
        context.metricsListener().observer().onFallback(missed.call().tool(), call.tool());
        return callPort.send(call, missed.deadline())
                .thenCompose(answer -> tryNext(
                        // Who takes nothing has nothing to say.
                        answer.attempts() == 0 ? reply : mergeReplies(reply, answer), missed, others));
    }

    private static List<ToolName> concat(List<ToolName> before, List<ToolName> more) {
        List<ToolName> all = new ArrayList<>(before);
        all.addAll(more);
        return List.copyOf(all);
    }

    private static ToolReply mergeReplies(ToolReply before, ToolReply answer) {
        return new ToolReply(
                answer.result(),
                before.queueMillis() + answer.queueMillis(),
                before.backendMillis() + answer.backendMillis(),
                before.attempts() + answer.attempts(),
                answer.sharedFrom(),
                answer.node());
    }

    private Optional<FallbackCall> findFallback(FailedCall missed, Iterator<String> others) {
        while (others.hasNext()) {
            ToolName name = new ToolName(others.next(), missed.call().tool().tool());
            Optional<CatalogTool> tool = context.catalog()
                    .find(name)
                    .filter(found -> doesNoMore(found, missed))
                    .filter(found -> costsNoMore(found, missed));
            if (tool.isPresent()) {
                PendingCall call = missed.call().withTool(tool.get().spec().name());
                if (callPort.authorize(call) instanceof AuthorizationDecision.CallAllowed pass) {
                    return Optional.of(new FallbackCall(call, pass.rule()));
                }
            }
        }
        return Optional.empty();
    }

    /** It was paid for by the name that the script called. */
    private boolean costsNoMore(CatalogTool other, FailedCall missed) {
        Json arguments = missed.call().arguments();
        Optional<Cost> cost = callPort.cost(other, arguments);
        return cost.isPresent()
                && callPort.cost(missed.tool(), arguments)
                        .filter(paid -> cost.get().compareTo(paid) <= 0)
                        .isPresent();
    }

    private static boolean doesNoMore(CatalogTool other, FailedCall missed) {
        ToolHints hints = other.spec().hints();
        ToolHints called = missed.tool().spec().hints();
        return (hints.readOnly() || !called.readOnly())
                && (hints.idempotent() || hints.readOnly() || !called.idempotent())
                && (!hints.destructive() || called.destructive());
    }
}
