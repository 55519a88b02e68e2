package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.Question;
import org.sallyport.bridge.CallGate.Verdict;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.Claim;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * The way of one execution's calls to their backends: judged, if need be asked of people, sent. What waits for the store is
 * done on the execution's own tasks, one after the other.
 */
final class Departures {
    private final Claim claim;
    private final Grants grants;
    private final RunContext context;
    private final EntryBuffer entries;
    private final BooleanSupplier beforeEffect;
    private final Earlier earlier;
    private final Book book;
    private final List<ToolName> made = new ArrayList<>();
    /** What people have not decided yet, by the ordinals of the calls. */
    private final Map<Long, Asked> asked = new ConcurrentHashMap<>();

    /** The execution's open calls. */
    interface Book {
        /** Whether a call still waits for its answer. */
        boolean isOpen(long call);

        /**
         * A call leaves.
         *
         * @param mayChange whether it may be changing something from now on
         * @return false when nothing may leave any more
         */
        boolean left(long call, CompletionStage<ToolReply> coming, boolean mayChange);

        void answer(long call, ToolReply reply);

        /** The answer will take long. */
        void postpone(long call);
    }

    /** A call on its way. */
    private record Call(long ordinal, ToolName tool, Json arguments) {}

    /** A call that waits for people. */
    private record Asked(Call call, Approval approval, CatalogTool tool, boolean personKnows) {}

    /** @param beforeEffect stores all that came before an effect; false when the effect must not leave */
    Departures(
            Claim claim,
            RunContext context,
            EntryBuffer entries,
            BooleanSupplier beforeEffect,
            Earlier earlier,
            Book book) {
        this.claim = claim;
        this.grants = new Grants(claim.grants());
        this.context = context;
        this.entries = entries;
        this.beforeEffect = beforeEffect;
        this.earlier = earlier;
        this.book = book;
    }

    /** The script makes a call; told of all, in order. */
    void made(ToolName tool) {
        synchronized (made) {
            made.add(tool);
        }
    }

    private List<ToolName> before(long call) {
        synchronized (made) {
            return List.copyOf(made.subList(0, (int) Math.min(call - 1, made.size())));
        }
    }

    /**
     * Sends a call, or sees to it that somebody answers it.
     *
     * @param perhaps whether an earlier run may have sent it
     */
    void depart(long ordinal, ToolName tool, Json arguments, boolean perhaps) {
        Call call = new Call(ordinal, tool, arguments);
        while (book.isOpen(ordinal)) {
            try {
                judged(call, judge(call, arguments), perhaps);
                return;
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return;
                }
            }
        }
    }

    private Verdict judge(Call call, Json arguments) {
        Situation situation = new Situation(
                claim.tenant(), () -> before(call.ordinal()), context.clock().instant());
        return context.gate().judge(grants, call.tool(), arguments, situation);
    }

    private void judged(Call call, Verdict verdict, boolean perhaps) {
        if (verdict instanceof Verdict.Refuse refuse) {
            refuse.rule().ifPresent(rule -> note(call, rule, "deny"));
            book.answer(call.ordinal(), ToolReply.local(new ToolResult.Failure(refuse.error())));
        } else if (verdict instanceof Verdict.Mock mock) {
            note(call, mock.rule(), "mock");
            book.answer(call.ordinal(), ToolReply.local(ToolResult.success(mock.value())));
        } else if (verdict instanceof Verdict.Ask ask) {
            ask(call, ask);
        } else if (verdict instanceof Verdict.Pass pass) {
            note(call, pass.rule(), "allow");
            boolean heldBack = earlier.replay().wasHeldBack(call.ordinal());
            send(call, pass.tool(), call.arguments(), perhaps && !heldBack, pass.personKnows());
        }
    }

    private void note(Call call, String rule, String decision) {
        if (!rule.equals(Policies.DEFAULT_ALLOW)) {
            entries.judged(call.ordinal(), call.tool(), rule, decision);
        }
    }

    private void ask(Call call, Verdict.Ask ask) {
        Question question = question(call, ApprovalKind.CALL, 0, ask.rule(), ask.terms());
        if (!earlier.replay().wasAsked(call.ordinal())) {
            note(call, ask.rule(), "ask");
        }
        open(call, question, ask.tool(), ask.personKnows());
    }

    private Question question(Call call, ApprovalKind kind, int round, String rule, Terms terms) {
        return new Question(
                claim.fence().id(), call.ordinal(), kind, round, call.tool(), call.arguments(), rule, terms);
    }

    /** The call is in the journal before people hear of it: who follows this run must find that it was held back. */
    private void open(Call call, Question question, CatalogTool tool, boolean personKnows) {
        if (!beforeEffect.getAsBoolean()) {
            return;
        }
        Approval approval = context.approvals().ask(question);
        if (!earlier.replay().hasAsked(approval.id())) {
            entries.asked(approval);
        }
        settle(new Asked(call, approval, tool, personKnows));
    }

    private void settle(Asked waiting) {
        Approval approval = waiting.approval();
        long ordinal = waiting.call().ordinal();
        if (approval.state() == ApprovalState.PENDING) {
            asked.put(ordinal, waiting);
            book.postpone(ordinal);
            return;
        }
        asked.remove(ordinal);
        boolean known = earlier.replay().decisions(ordinal).stream()
                .anyMatch(before -> before.approval().equals(approval.id()));
        if (!known) {
            entries.decided(approval);
        }
        decided(waiting, approval, known);
        context.approvals().heard(approval.id());
    }

    /** @param known whether an earlier run has heard it: then it may have sent the call */
    private void decided(Asked waiting, Approval approval, boolean known) {
        Call call = waiting.call();
        Optional<Approval.Made> made = approval.decision();
        if (approval.question().kind() == ApprovalKind.OUTCOME) {
            Optional<Json> result = made.flatMap(Approval.Made::result);
            if (!approval.granted()) {
                book.answer(call.ordinal(), ToolReply.local(Answers.unknown("a person could not tell either")));
            } else if (result.isPresent()) {
                book.answer(call.ordinal(), ToolReply.local(ToolResult.success(result.get())));
            } else {
                send(call, waiting.tool(), arguments(call), false, waiting.personKnows());
            }
        } else if (!approval.granted()) {
            book.answer(call.ordinal(), ToolReply.local(Answers.denied(approval)));
        } else {
            made.flatMap(Approval.Made::edited)
                    .ifPresentOrElse(
                            edited -> sendEdited(waiting, edited, known),
                            () -> send(call, waiting.tool(), call.arguments(), known, waiting.personKnows()));
        }
    }

    /** What a call was made with before nobody knew what became of it. */
    private Json arguments(Call call) {
        return earlier.replay().decisions(call.ordinal()).stream()
                .flatMap(decision -> decision.edited().stream())
                .findFirst()
                .orElse(call.arguments());
    }

    /** Rules and schema hold for what a person wrote, too; only that a person is asked has been done. */
    private void sendEdited(Asked waiting, Json edited, boolean perhaps) {
        Call call = waiting.call();
        if (judge(call, edited) instanceof Verdict.Refuse refuse) {
            book.answer(call.ordinal(), ToolReply.local(new ToolResult.Failure(refuse.error())));
        } else {
            send(call, waiting.tool(), edited, perhaps, waiting.personKnows());
        }
    }

    /** @param perhaps whether an earlier run may have sent it */
    private void send(Call call, CatalogTool tool, Json arguments, boolean perhaps, boolean personKnows) {
        ToolHints hints = tool.spec().hints();
        if (perhaps && !hints.readOnly() && !hints.idempotent()) {
            lost(call, tool, personKnows);
            return;
        }
        if (!hints.readOnly()) {
            if (!beforeEffect.getAsBoolean()) {
                return;
            }
            Failpoint.CALL_JOURNALED.reached(id(call));
        }
        CompletableFuture<ToolReply> coming = new CompletableFuture<>();
        if (!book.left(call.ordinal(), coming, !hints.readOnly())) {
            return; // the execution ended while this waited for the store: nothing may leave any more
        }
        Duration time = context.limits().call();
        coming.thenAccept(reply -> book.answer(call.ordinal(), reply));
        context.bridge()
                .send(new ToolCall(
                        id(call),
                        claim.tenant(),
                        call.tool(),
                        arguments,
                        context.clock().instant().plus(time)))
                .thenAccept(coming::complete);
    }

    /** Nobody knows whether an earlier run's call had its effect. */
    private void lost(Call call, CatalogTool tool, boolean personKnows) {
        String why = "the run was interrupted before the answer was stored";
        if (!personKnows) {
            book.answer(call.ordinal(), ToolReply.local(Answers.unknown(why)));
            return;
        }
        int round = (int) earlier.replay().decisions(call.ordinal()).stream()
                .filter(decision -> decision.kind() == ApprovalKind.OUTCOME)
                .count();
        Terms terms = new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, why + ": did this happen?");
        open(call, question(call, ApprovalKind.OUTCOME, round, "whenUnknown", terms), tool, personKnows);
    }

    private CallId id(Call call) {
        return new CallId(claim.fence().id().toString(), call.ordinal());
    }

    /** Until when people have time for the first of what they are asked; empty when they are asked nothing. */
    Optional<Instant> patience() {
        return asked.values().stream()
                .map(waiting -> waiting.approval().expiresAt())
                .min(Comparator.naturalOrder());
    }

    /** Looks whether people have decided meanwhile. Waits for the store. */
    void look() {
        asked.forEach((ordinal, waiting) -> {
            UUID id = waiting.approval().id();
            context.approvals()
                    .find(claim.tenant(), id)
                    .filter(now -> now.state() != ApprovalState.PENDING && book.isOpen(ordinal))
                    .ifPresent(now -> settle(new Asked(waiting.call(), now, waiting.tool(), waiting.personKnows())));
        });
    }
}
