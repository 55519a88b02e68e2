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
 * Retries calls of one execution on their backend's fallback list when the backend was unavailable. Each fallback call
 * is authorized like a direct call, and may have no stronger effect and no higher cost than the original call. The
 * journal names the fallback tool before the call is sent, so that a run after a crash does not repeat an effect at
 * another backend.
 */
final class CallFallback {
    private static final Logger LOG = System.getLogger(CallFallback.class.getName());

    private final EngineServices context;
    private final JournalBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier flushBeforeEffect;
    private final CallPort callPort;
    /** The fallback tools that each call was sent to, by call ordinal. */
    private final Map<Long, List<ToolName>> fallbackTools = new ConcurrentHashMap<>();

    /** Operations that a fallback call shares with a direct call. */
    interface CallPort {
        /**
         * Authorizes a call. May wait for the store.
         *
         * @throws org.sallyport.execution.StoreUnavailableException if the store is unavailable
         */
        AuthorizationDecision authorize(PendingCall call);

        /**
         * Returns the cost of a call of the tool; empty when it cannot be determined. May wait for the store, and
         * throws like {@link #authorize}.
         */
        Optional<Cost> cost(CatalogTool tool, Json arguments);

        /** Returns whether the call has no reply yet and the run may still send calls. */
        boolean canSend(long call);

        CompletionStage<ToolReply> send(PendingCall call, Instant deadline);
    }

    /**
     * A call that was to reach its backend.
     *
     * @param tool the tool that the script called
     * @param deadline instant after which the reply is no longer awaited
     */
    record FailedCall(PendingCall call, CatalogTool tool, Instant deadline) {
        private boolean hasEffect() {
            return !tool.spec().hints().readOnly();
        }
    }

    /** @param rule the policy rule that allows the call */
    private record FallbackCall(PendingCall call, String rule) {}

    /**
     * @param before the fallback tools that earlier runs used, by call ordinal
     * @param tasks runs work that waits for the store
     * @param beforeEffect stores all entries that precede an effect; returns false when the effect must not be sent
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

    /** Returns the fallback tools used by calls before the given one. Their results have reached the script. */
    List<ToolName> toolsUsedBefore(long call) {
        List<ToolName> all = new ArrayList<>();
        fallbackTools.forEach((ordinal, tools) -> {
            if (ordinal < call) {
                all.addAll(tools);
            }
        });
        return all;
    }

    /**
     * Returns the reply of a fallback backend, if {@code reply} shows that no backend took the call and a fallback may
     * take it; otherwise {@code reply}.
     */
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
                // A fallback that cannot be authorized now is not called.
                LOG.log(
                        Level.WARNING,
                        "call {0}: its fallback could not be called: {1}",
                        missed.call().ordinal(),
                        e.getMessage());
                other = CompletableFuture.completedStage(reply);
            }
            other.thenAccept(answer::complete);
        });
        return answer;
    }

    /** Returns whether no tool can have been called, or a second call does no harm, and the deadline has not passed. */
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
                        // A fallback that did not take the call has no reply of its own to report.
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
            // The names that were assigned to the tools of two backends may differ.
            Optional<CatalogTool> tool = context.catalog()
                    .findDeclared(others.next(), missed.tool().declaredName())
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

    /**
     * Accepts only a fallback that costs no more: the call was charged at the cost of the tool that the script called.
     */
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
