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
import org.sallyport.bridge.CallGate.Verdict;
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
final class Fallback {
    private static final Logger LOG = System.getLogger(Fallback.class.getName());

    private final RunContext context;
    private final EntryBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier beforeEffect;
    private final Way way;
    /** Where calls went, by their ordinals. */
    private final Map<Long, List<ToolName>> gone = new ConcurrentHashMap<>();

    /** What is done with any call. */
    interface Way {
        /** May wait for the store, and throws its exception. */
        Verdict judge(OutgoingCall call);

        /** What a call of it costs; empty when nobody can tell. As {@link #judge}. */
        Optional<Cost> cost(CatalogTool tool, Json arguments);

        /** Whether the call of that ordinal waits for its answer, and calls may leave. */
        boolean mayLeave(long call);

        CompletionStage<ToolReply> send(OutgoingCall call, Instant deadline);
    }

    /**
     * A call that was to reach its backend.
     *
     * @param tool what was called
     * @param deadline when nobody waits for an answer any more
     */
    record Missed(OutgoingCall call, CatalogTool tool, Instant deadline) {
        private boolean changes() {
            return !tool.spec().hints().readOnly();
        }
    }

    /** @param rule by which it may be called */
    private record StandIn(OutgoingCall call, String rule) {}

    /**
     * @param before where calls of earlier runs went
     * @param tasks runs what waits for the store
     * @param beforeEffect stores all that came before an effect; false when the effect must not leave
     */
    Fallback(
            RunContext context,
            EntryBuffer entries,
            Map<Long, List<ToolName>> before,
            Executor tasks,
            BooleanSupplier beforeEffect,
            Way way) {
        this.context = context;
        this.entries = entries;
        this.tasks = tasks;
        this.beforeEffect = beforeEffect;
        this.way = way;
        gone.putAll(before);
    }

    /** Tools that were called in the place of others, by calls before that one: what they gave has come to the script. */
    List<ToolName> before(long call) {
        List<ToolName> all = new ArrayList<>();
        gone.forEach((ordinal, tools) -> {
            if (ordinal < call) {
                all.addAll(tools);
            }
        });
        return all;
    }

    /** The answer of who stands in, where {@code reply} says that the call is nobody's yet and somebody may; else {@code reply}. */
    CompletionStage<ToolReply> unless(ToolReply reply, Missed missed) {
        return next(reply, missed, missed.tool().backend().fallback().iterator());
    }

    private CompletionStage<ToolReply> next(ToolReply reply, Missed missed, Iterator<String> others) {
        if (!others.hasNext() || !isNobodys(reply, missed)) {
            return CompletableFuture.completedStage(reply);
        }
        CompletableFuture<ToolReply> answer = new CompletableFuture<>();
        tasks.execute(() -> {
            CompletionStage<ToolReply> other;
            try {
                other = ask(reply, missed, others);
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
    private boolean isNobodys(ToolReply reply, Missed missed) {
        return reply.result() instanceof ToolResult.Failure failure
                && (failure.error().code() == ToolErrorCode.BACKEND_UNAVAILABLE
                        || failure.error().code() == ToolErrorCode.BACKEND_STARTING)
                && (!missed.changes() || reply.attempts() == 0 && !missed.call().perhaps())
                && context.clock().instant().isBefore(missed.deadline());
    }

    private CompletionStage<ToolReply> ask(ToolReply reply, Missed missed, Iterator<String> others) {
        Optional<StandIn> found = standIn(missed, others);
        long ordinal = missed.call().ordinal();
        if (found.isEmpty() || !way.mayLeave(ordinal)) {
            return CompletableFuture.completedStage(reply);
        }
        OutgoingCall call = found.get().call();
        gone.merge(ordinal, List.of(call.tool()), Fallback::concat);
        entries.judged(ordinal, call.tool(), found.get().rule(), TraceEvent.Judged.FALLBACK);
        if (missed.changes() && (!beforeEffect.getAsBoolean() || !way.mayLeave(ordinal))) {
            return CompletableFuture.completedStage(reply);
        }
        context.watch().listener().fellBack(missed.call().tool(), call.tool());
        return way.send(call, missed.deadline())
                .thenCompose(answer -> next(
                        // Who takes nothing has nothing to say.
                        answer.attempts() == 0 ? reply : together(reply, answer), missed, others));
    }

    private static List<ToolName> concat(List<ToolName> before, List<ToolName> more) {
        List<ToolName> all = new ArrayList<>(before);
        all.addAll(more);
        return List.copyOf(all);
    }

    private static ToolReply together(ToolReply before, ToolReply answer) {
        return new ToolReply(
                answer.result(),
                before.queueMillis() + answer.queueMillis(),
                before.backendMillis() + answer.backendMillis(),
                before.attempts() + answer.attempts(),
                answer.from(),
                answer.node());
    }

    private Optional<StandIn> standIn(Missed missed, Iterator<String> others) {
        while (others.hasNext()) {
            ToolName name = new ToolName(others.next(), missed.call().tool().tool());
            Optional<CatalogTool> tool = context.catalog()
                    .find(name)
                    .filter(found -> doesNoMore(found, missed))
                    .filter(found -> costsNoMore(found, missed));
            if (tool.isPresent()) {
                OutgoingCall call = missed.call().to(tool.get().spec().name());
                if (way.judge(call) instanceof Verdict.Pass pass) {
                    return Optional.of(new StandIn(call, pass.rule()));
                }
            }
        }
        return Optional.empty();
    }

    /** It was paid for by the name that the script called. */
    private boolean costsNoMore(CatalogTool other, Missed missed) {
        Json arguments = missed.call().arguments();
        Optional<Cost> cost = way.cost(other, arguments);
        return cost.isPresent()
                && way.cost(missed.tool(), arguments)
                        .filter(paid -> cost.get().compareTo(paid) <= 0)
                        .isPresent();
    }

    private static boolean doesNoMore(CatalogTool other, Missed missed) {
        ToolHints hints = other.spec().hints();
        ToolHints called = missed.tool().spec().hints();
        return (hints.readOnly() || !called.readOnly())
                && (hints.idempotent() || hints.readOnly() || !called.idempotent())
                && (!hints.destructive() || called.destructive());
    }
}
