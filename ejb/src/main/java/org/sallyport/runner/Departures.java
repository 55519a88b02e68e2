package org.sallyport.runner;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.Question;
import org.sallyport.bridge.CallGate.Verdict;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.MadeUpAnswers;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Cost;
import org.sallyport.execution.Effects;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.Plan;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tracecontext.SpanIds;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * The way of one execution's calls to their backends: judged, if need be asked of people, sent. What waits for the store is
 * done on the execution's own tasks, one after the other.
 */
final class Departures {
    private static final String HOST_RULE = "host";
    /** What a policy asks of a call is its first round. */
    private static final int OF_BUDGETS = 1;

    private static final String INTERRUPTED = "the run was interrupted before the answer was stored";

    private final Claim claim;
    private final Grants grants;
    private final RunContext context;
    private final EntryBuffer entries;
    private final BooleanSupplier beforeEffect;
    private final BooleanSupplier beforeNesting;
    private final Earlier earlier;
    private final Book book;
    private final Consents consents;
    private final PlannedEffects plan;
    private final Charges charges;
    private final Fallback fallback;
    private final StartingBackends starting;
    private final SharedCalls shared;
    private final CallsBefore before;

    /** The execution's open calls. */
    interface Book {
        /** Whether a call still waits for its answer. */
        boolean isOpen(long call);

        /** Whether a call still waits for its answer, and calls may leave. */
        boolean mayLeave(long call);

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

    /**
     * @param tasks runs what waits for the store, one after the other
     * @param writer stores all that came before an effect, and says when the effect must not leave
     */
    Departures(
            Claim claim,
            RunContext context,
            EntryBuffer entries,
            Executor tasks,
            RunWriter writer,
            Earlier earlier,
            PlannedEffects plan,
            Book book) {
        this.claim = claim;
        this.grants = new Grants(claim.grants());
        this.context = context;
        this.entries = entries;
        this.beforeEffect = writer::beforeEffect;
        this.beforeNesting = writer::beforeNesting;
        this.earlier = earlier;
        this.plan = plan;
        this.book = book;
        this.charges = new Charges(claim, context, book);
        this.shared = new SharedCalls(claim, context);
        this.before = new CallsBefore(claim, context);
        this.starting = new StartingBackends(
                context, tasks, book::mayLeave, claim.fence().attempt() > 1);
        this.fallback =
                new Fallback(context, entries, earlier.replay().standIns(), tasks, beforeEffect, new Fallback.Way() {
                    @Override
                    public Verdict judge(OutgoingCall call) {
                        return Departures.this.judge(call, call.arguments());
                    }

                    @Override
                    public Optional<Cost> cost(CatalogTool tool, Json arguments) {
                        return context.gate().cost(claim.tenant(), tool.spec(), arguments);
                    }

                    @Override
                    public boolean mayLeave(long call) {
                        return book.mayLeave(call);
                    }

                    @Override
                    public CompletionStage<ToolReply> send(OutgoingCall call, Instant deadline) {
                        return transmit(call, deadline);
                    }
                });
        this.consents =
                new Consents(claim, context.approvals(), entries, beforeEffect, earlier.replay(), book, this::decided);
    }

    /** The script makes a call; told of all, in order. */
    void made(long call, ToolName tool, Json arguments) {
        synchronized (before) {
            before.made(tool);
            plan.made(call, tool, arguments);
            shared.made(call, tool, arguments);
        }
    }

    /**
     * Sends a call, or sees to it that somebody answers it.
     *
     * @param perhaps whether an earlier run may have sent it
     */
    void depart(long ordinal, ToolName tool, Json arguments, boolean perhaps) {
        OutgoingCall call = new OutgoingCall(ordinal, tool, arguments, perhaps);
        while (book.isOpen(ordinal)) {
            try {
                bound(call, judge(call, arguments));
                return;
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return;
                }
            }
        }
    }

    private Verdict judge(OutgoingCall call, Json arguments) {
        Situation situation = before.situation(call.ordinal(), () -> fallback.before(call.ordinal()));
        return context.gate().judge(claim.submitter(), grants, call.tool(), arguments, situation);
    }

    /** What changes something is only listed in a dry run, and only made where it was planned when there is a plan. */
    private void bound(OutgoingCall call, Verdict verdict) {
        Optional<CatalogTool> effect = effect(verdict);
        if (effect.isPresent() && claim.effects() instanceof Effects.DryRun dry) {
            boolean asks = verdict instanceof Verdict.Ask;
            String rule = verdict instanceof Verdict.Ask ask ? ask.rule() : ((Verdict.Pass) verdict).rule();
            entries.judged(call.ordinal(), call.tool(), rule, asks ? Plan.LISTED_ASKING : Plan.LISTED);
            Json answer = MadeUpAnswers.of(effect.get().spec(), dry.fixtures());
            book.answer(call.ordinal(), ToolReply.local(ToolResult.success(answer)));
        } else if (effect.isPresent() && plan.any()) {
            if (plan.allows(call)) {
                judged(call, approved(verdict));
            }
        } else {
            judged(call, verdict);
        }
    }

    /** Whether an event may go out to others; if not, the call is answered, or the run stopped. Waits for the store. */
    boolean mayEmit(long ordinal, ToolName tool, Json arguments) {
        return mayReachOthers(ordinal, tool, arguments, new Json("{\"seq\":0}"));
    }

    /** The script itself asks people: their decision is its answer. Waits for the store, never for people. */
    void request(long ordinal, ToolName tool, Json arguments) {
        Question question;
        try {
            question = ScriptQuestions.question(claim.fence().id(), ordinal, tool, arguments);
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            book.answer(ordinal, ToolReply.local(ToolResult.failure(ToolErrorCode.INVALID_ARGUMENTS, why)));
            return;
        }
        if (!mayReachOthers(ordinal, tool, arguments, ScriptQuestions.madeUp())) {
            return;
        }
        OutgoingCall call = new OutgoingCall(ordinal, tool, arguments, false);
        while (book.isOpen(ordinal)) {
            try {
                consents.ask(new OutgoingCall.Wanted(call, Optional.empty(), false), question);
                return;
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return;
                }
            }
        }
    }

    /** Whether a dry run is to list a call that is answered from a recording: as what it would make, if it came to its tool then. */
    boolean lists(TraceEvent.ToolEnded answer) {
        if (!(claim.effects() instanceof Effects.DryRun)
                || answer.error()
                        .filter(error -> Charges.NOT_MADE.contains(error.code()))
                        .isPresent()) {
            return false;
        }
        ToolName tool = answer.tool();
        if (tool.backend().equals(HostServices.BACKEND)) {
            return tool.tool().equals(HostServices.EVENT_EMIT) || tool.tool().equals(HostServices.APPROVAL_REQUEST);
        }
        if (context.gate().spelt(tool).backend().equals(CapabilityTools.BACKEND)) {
            return true;
        }
        return context.catalog()
                .find(tool)
                .filter(found -> !found.spec().hints().readOnly())
                .isPresent();
    }

    /** @param madeUp the answer in a dry run */
    private boolean mayReachOthers(long ordinal, ToolName tool, Json arguments, Json madeUp) {
        if (claim.effects() instanceof Effects.DryRun) {
            entries.judged(ordinal, tool, HOST_RULE, Plan.LISTED);
            book.answer(ordinal, ToolReply.local(ToolResult.success(madeUp)));
            return false;
        }
        OutgoingCall call = new OutgoingCall(ordinal, tool, arguments, false);
        while (plan.any() && book.isOpen(ordinal)) {
            try {
                return plan.allows(call);
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Optional<CatalogTool> effect(Verdict verdict) {
        CatalogTool tool = verdict instanceof Verdict.Pass pass
                ? pass.tool()
                : verdict instanceof Verdict.Ask ask ? ask.tool() : null;
        return Optional.ofNullable(tool).filter(found -> !found.spec().hints().readOnly());
    }

    /** Who approved the plan approved the call; where more must, they are asked. */
    private static Verdict approved(Verdict verdict) {
        if (verdict instanceof Verdict.Ask ask) {
            return ask.terms().approvers() > 1 ? ask : new Verdict.Pass(ask.tool(), Plan.LISTED, ask.personKnows());
        }
        return verdict;
    }

    private void judged(OutgoingCall call, Verdict verdict) {
        if (verdict instanceof Verdict.Pass pass) {
            allow(call, pass);
        } else if (mayHaveChanged(call) && !isFor(call, verdict)) {
            // The rules are others now, or it is another time: that says nothing of a call that was made before.
            unknown(call, verdict);
        } else if (verdict instanceof Verdict.Refuse refuse) {
            refuse(call, refuse.error(), refuse.rule());
        } else if (verdict instanceof Verdict.Mock mock) {
            mock(call, mock.rule(), mock.value());
        } else if (verdict instanceof Verdict.Ask ask) {
            ask(call, ask);
        }
    }

    /** It is not made; who runs the service is told, too, but for what there is not at all. */
    private void refuse(OutgoingCall call, ToolError error, Optional<String> rule) {
        rule.ifPresent(name -> note(call, name, "deny"));
        if (error.code() != ToolErrorCode.TOOL_NOT_FOUND) {
            context.watch().refusals().add(claim.tenant(), claim.fence().id(), call.tool(), error.code(), rule);
        }
        book.answer(call.ordinal(), ToolReply.local(new ToolResult.Failure(error)));
    }

    /** It is answered without being made. */
    private void mock(OutgoingCall call, String rule, Json value) {
        note(call, rule, TraceEvent.Judged.MOCK);
        book.answer(call.ordinal(), ToolReply.local(ToolResult.success(value)));
    }

    private void allow(OutgoingCall call, Verdict.Pass pass) {
        boolean heldBack = earlier.replay().wasHeldBack(call.ordinal());
        if (heldBack) {
            // Whatever the rule: who follows this run must find that it is held back no more.
            entries.judged(call.ordinal(), call.tool(), pass.rule(), "allow");
        } else {
            note(call, pass.rule(), "allow");
        }
        send(call, pass.tool(), call.arguments(), call.perhaps() && !heldBack, pass.personKnows(), Leave.RULES);
    }

    /** Whether an earlier run may have sent it, so that it had an effect which a second one would double. */
    private boolean mayHaveChanged(OutgoingCall call) {
        return call.perhaps()
                && !earlier.replay().wasHeldBack(call.ordinal())
                && context.catalog()
                        .find(call.tool())
                        .map(tool -> tool.spec().hints())
                        .map(hints -> isOnce(call, hints))
                        .orElse(true);
    }

    /** Whether a second call would have a second effect: also of one that may have gone to another backend. */
    private boolean isOnce(OutgoingCall call, ToolHints hints) {
        return !hints.readOnly() && (!hints.idempotent() || earlier.replay().fellBack(call.ordinal()));
    }

    /** Whether the same was said before: what is asked is answered, and what is refused for these reasons never left. */
    private boolean isFor(OutgoingCall call, Verdict verdict) {
        return verdict instanceof Verdict.Ask && earlier.replay().wasAsked(call.ordinal())
                || verdict instanceof Verdict.Refuse refuse
                        && (refuse.error().code() == ToolErrorCode.NOT_GRANTED
                                || refuse.error().code() == ToolErrorCode.INVALID_ARGUMENTS);
    }

    private void unknown(OutgoingCall call, Verdict verdict) {
        if (verdict instanceof Verdict.Ask ask) {
            lost(call, ask.tool(), ask.personKnows());
        } else {
            book.answer(call.ordinal(), ToolReply.local(Answers.unknown(INTERRUPTED)));
        }
    }

    private void note(OutgoingCall call, String rule, String decision) {
        if (!rule.equals(Policies.DEFAULT_ALLOW)) {
            entries.judged(call.ordinal(), call.tool(), rule, decision);
        }
    }

    private void ask(OutgoingCall call, Verdict.Ask ask) {
        Question question = question(call, ApprovalKind.CALL, 0, ask.rule(), ask.terms());
        if (!earlier.replay().wasAsked(call.ordinal())) {
            note(call, ask.rule(), "ask");
        }
        consents.ask(new OutgoingCall.Wanted(call, Optional.of(ask.tool()), ask.personKnows()), question);
    }

    private Question question(OutgoingCall call, ApprovalKind kind, int round, String rule, Terms terms) {
        return new Question(
                claim.fence().id(), call.ordinal(), kind, round, call.tool(), call.arguments(), rule, terms);
    }

    /** @param heard whether an earlier run has heard it, and so may have sent the call */
    private void decided(OutgoingCall.Wanted waiting, Approval approval, boolean heard) {
        OutgoingCall call = waiting.call();
        // After a yes it may have been held back for another reason.
        boolean perhaps = heard && !earlier.replay().wasHeldBack(call.ordinal());
        Optional<Approval.Made> made = approval.decision();
        if (approval.question().kind() == ApprovalKind.QUESTION) {
            book.answer(call.ordinal(), ToolReply.local(ScriptQuestions.answer(approval)));
        } else if (approval.question().kind() == ApprovalKind.OUTCOME) {
            Optional<Json> result = made.flatMap(Approval.Made::result);
            if (!approval.granted()) {
                book.answer(call.ordinal(), ToolReply.local(Answers.unknown("a person could not tell either")));
            } else if (result.isPresent()) {
                book.answer(call.ordinal(), ToolReply.local(ToolResult.success(result.get())));
            } else {
                // It was paid for when it left first.
                sendApproved(waiting, arguments(call), false, Leave.PEOPLE);
            }
        } else if (approval.answer().isPresent()) {
            mock(call, approval.question().rule(), approval.answer().get());
        } else if (!approval.granted()) {
            book.answer(call.ordinal(), ToolReply.local(Answers.denied(approval)));
        } else {
            made.flatMap(Approval.Made::edited)
                    .ifPresentOrElse(
                            edited -> sendEdited(waiting, approval, edited, perhaps),
                            () -> sendApproved(waiting, call.arguments(), perhaps, leave(approval)));
        }
    }

    /** People say whether it may be made, not in whose name: that may have been taken back while they were asked. */
    private void sendApproved(OutgoingCall.Wanted waiting, Json arguments, boolean perhaps, Leave by) {
        OutgoingCall call = waiting.call();
        CatalogTool tool = waiting.tool().orElseThrow();
        Optional<Decision.Deny> withdrawn =
                context.gate().withdrawn(claim.submitter(), tool.spec().name());
        if (withdrawn.isEmpty()) {
            send(call, tool, arguments, perhaps, waiting.personKnows(), by);
        } else if (perhaps) {
            book.answer(call.ordinal(), ToolReply.local(Answers.unknown(INTERRUPTED)));
        } else {
            Decision.Deny deny = withdrawn.get();
            refuse(call, Decision.Deny.error(deny.rule(), deny.reason()), Optional.of(deny.rule()));
        }
    }

    private static Leave leave(Approval approval) {
        return approval.question().kind() == ApprovalKind.CALL
                        && approval.question().round() == OF_BUDGETS
                ? Leave.PEOPLE_BEYOND_BUDGETS
                : Leave.PEOPLE;
    }

    /** What a call was made with before nobody knew what became of it. */
    private Json arguments(OutgoingCall call) {
        return earlier.replay().decisions(call.ordinal()).stream()
                .flatMap(decision -> decision.edited().stream())
                .findFirst()
                .orElse(call.arguments());
    }

    /** Rules and schema hold for what a person wrote, too; only that this rule asks has been done. */
    private void sendEdited(OutgoingCall.Wanted waiting, Approval approval, Json edited, boolean perhaps) {
        OutgoingCall call = waiting.call();
        Verdict verdict = judge(call, edited);
        Optional<ToolError> fault = EditedCalls.fault(approval, verdict);
        if (fault.isPresent() && perhaps) {
            book.answer(call.ordinal(), ToolReply.local(Answers.unknown(INTERRUPTED)));
        } else if (fault.isPresent()) {
            refuse(call, fault.get(), Optional.empty());
        } else {
            send(call, waiting.tool().orElseThrow(), edited, perhaps, waiting.personKnows(), leave(approval));
        }
    }

    /** By whose leave a call is made. */
    private enum Leave {
        /** That of the rules, which may let another take it, too. */
        RULES,
        /** That of people, who saw which tool is called. */
        PEOPLE,
        /** That of people, who said yes to it beyond what budgets have. */
        PEOPLE_BEYOND_BUDGETS
    }

    /** @param perhaps whether an earlier run may have sent it */
    private void send(
            OutgoingCall call, CatalogTool tool, Json arguments, boolean perhaps, boolean personKnows, Leave by) {
        if (perhaps && isOnce(call, tool.spec().hints())) {
            lost(call, tool, personKnows);
            return;
        }
        Charges.Verdict paid = charges.charge(call, tool, arguments, perhaps, by == Leave.PEOPLE_BEYOND_BUDGETS);
        if (!(paid instanceof Charges.Verdict.Paid price)) {
            // What a person wrote stays what the next one is asked about.
            unpaid(call.with(arguments), tool, personKnows, paid);
            return;
        }
        // By the name that the catalog has.
        OutgoingCall leaving = new OutgoingCall(call.ordinal(), tool.spec().name(), arguments, perhaps);
        if (!leave(leaving, tool, price.charged(), by == Leave.RULES) && price.charged()) {
            charges.refund(call);
        }
    }

    /** The budget has not so much. */
    private void unpaid(OutgoingCall call, CatalogTool tool, boolean personKnows, Charges.Verdict verdict) {
        if (verdict instanceof Charges.Verdict.Refused refused) {
            refuse(call, refused.error(), refused.rule());
        } else if (verdict instanceof Charges.Verdict.Ask ask) {
            // Each time: the word that a rule lets it through may come before, and it is held back all the same.
            note(call, ask.rule(), "ask");
            Terms terms = new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, ask.reason());
            consents.ask(
                    new OutgoingCall.Wanted(call, Optional.of(tool), personKnows),
                    question(call, ApprovalKind.CALL, OF_BUDGETS, ask.rule(), terms));
        }
    }

    /**
     * Whether it has left; false when nothing may any more.
     *
     * @param elsewhere whether it may be made by those who stand in for its backend
     */
    private boolean leave(OutgoingCall call, CatalogTool tool, boolean charged, boolean elsewhere) {
        ToolHints hints = tool.spec().hints();
        if (!hints.readOnly()) {
            BooleanSupplier store =
                    tool.spec().name().backend().equals(CapabilityTools.BACKEND) ? beforeNesting : beforeEffect;
            if (!store.getAsBoolean()) {
                return false;
            }
            Failpoint.CALL_JOURNALED.reached(id(call));
        }
        CompletableFuture<ToolReply> coming = new CompletableFuture<>();
        if (!book.left(call.ordinal(), coming, !hints.readOnly())) {
            return false; // the execution ended while this waited for the store: nothing may leave any more
        }
        Instant deadline = context.clock().instant().plus(context.limits().call());
        coming.thenAccept(reply -> book.answer(call.ordinal(), reply));
        CompletionStage<ToolReply> reply = elsewhere && hints.readOnly() && shared.any()
                ? shared.send(made(call, deadline), tool)
                : transmit(call, deadline);
        // A plan names the tools that change something.
        if (elsewhere && (hints.readOnly() || !plan.any())) {
            reply = reply.thenCompose(first -> fallback.unless(first, new Fallback.Missed(call, tool, deadline)));
        }
        reply.thenCompose(last -> starting.await(last, call.ordinal(), deadline, () -> transmit(call, deadline)))
                .thenAccept(last -> {
                    boolean neverSent = last.attempts() == 0 && !call.perhaps();
                    if (charged && (Charges.isFree(last) || neverSent)) {
                        // Before anybody hears of it: whoever is told that it was not made finds that it cost nothing.
                        context.executor().execute(() -> {
                            charges.refund(call);
                            coming.complete(last);
                        });
                    } else {
                        coming.complete(last);
                    }
                });
        return true;
    }

    private CompletionStage<ToolReply> transmit(OutgoingCall call, Instant deadline) {
        return context.bridge().send(made(call, deadline));
    }

    private ToolCall made(OutgoingCall call, Instant deadline) {
        return new ToolCall(id(call), claim.tenant(), call.tool(), call.arguments(), deadline, trace(call));
    }

    /** Nobody knows whether an earlier run's call had its effect. */
    private void lost(OutgoingCall call, CatalogTool tool, boolean personKnows) {
        if (!personKnows) {
            book.answer(call.ordinal(), ToolReply.local(Answers.unknown(INTERRUPTED)));
            return;
        }
        int round = (int) earlier.replay().decisions(call.ordinal()).stream()
                .filter(decision -> decision.kind() == ApprovalKind.OUTCOME)
                .count();
        List<ToolName> others = earlier.replay().standIns().getOrDefault(call.ordinal(), List.of());
        String elsewhere = others.isEmpty() ? "" : " (it may have been made by " + others.get(others.size() - 1) + ")";
        Terms terms = new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, INTERRUPTED + ": did this happen?" + elsewhere);
        consents.ask(
                new OutgoingCall.Wanted(call, Optional.of(tool), personKnows),
                question(call, ApprovalKind.OUTCOME, round, "whenUnknown", terms));
    }

    private Optional<TraceHeaders> trace(OutgoingCall call) {
        return claim.trace()
                .map(trace -> trace.headers(SpanIds.call(claim.fence().id().value(), call.ordinal())));
    }

    private CallId id(OutgoingCall call) {
        return new CallId(claim.fence().id().toString(), call.ordinal());
    }

    /** What people are asked. */
    Consents consents() {
        return consents;
    }
}
