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
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.bridge.ToolCallAuthorizer.AuthorizationDecision;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.MockResponses;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Cost;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.ToolGrants;
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
import org.sallyport.tracecontext.SpanIdGenerator;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * The way of one execution's calls to their backends: judged, if need be asked of people, sent. What waits for the store is
 * done on the execution's own tasks, one after the other.
 */
final class ToolCallDispatcher {
    private static final String HOST_RULE = "host";
    /** What a policy asks of a call is its first round. */
    private static final int BUDGET_ROUND = 1;

    private static final String INTERRUPTED = "the run was interrupted before the answer was stored";

    private final ClaimedExecution claim;
    private final ToolGrants grants;
    private final EngineServices context;
    private final JournalBuffer entries;
    private final BooleanSupplier flushBeforeEffect;
    private final BooleanSupplier flushBeforeNesting;
    private final ReplayContext replayContext;
    private final PendingCallRegistry pendingCalls;
    private final RunApprovals approvals;
    private final PlanGuard planGuard;
    private final CallBudget callBudget;
    private final CallFallback fallback;
    private final StartingBackendRetry startingBackendRetry;
    private final SharedReadRouter sharedReads;
    private final CallHistory callHistory;

    /** The execution's open calls. */
    interface PendingCallRegistry {
        /** Whether a call still waits for its answer. */
        boolean isOpen(long call);

        /** Whether a call still waits for its answer, and calls may leave. */
        boolean canSend(long call);

        /**
         * A call leaves.
         *
         * @param mayChange whether it may be changing something from now on
         * @return false when nothing may leave any more
         */
        boolean markSent(long call, CompletionStage<ToolReply> coming, boolean mayChange);

        void answer(long call, ToolReply reply);

        /** The answer will take long. */
        void postpone(long call);
    }

    /**
     * @param tasks runs what waits for the store, one after the other
     * @param writer stores all that came before an effect, and says when the effect must not leave
     */
    ToolCallDispatcher(
            ClaimedExecution claim,
            EngineServices context,
            JournalBuffer entries,
            Executor tasks,
            JournalWriter writer,
            ReplayContext earlier,
            PlanGuard plan,
            PendingCallRegistry book) {
        this.claim = claim;
        this.grants = new ToolGrants(claim.grants());
        this.context = context;
        this.entries = entries;
        this.flushBeforeEffect = writer::flushBeforeEffect;
        this.flushBeforeNesting = writer::flushBeforeNesting;
        this.replayContext = earlier;
        this.planGuard = plan;
        this.pendingCalls = book;
        this.callBudget = new CallBudget(claim, context, book);
        this.sharedReads = new SharedReadRouter(claim, context);
        this.callHistory = new CallHistory(claim, context);
        this.startingBackendRetry = new StartingBackendRetry(
                context, tasks, book::canSend, claim.fence().attempt() > 1);
        this.fallback = new CallFallback(
                context,
                entries,
                earlier.replay().fallbackTools(),
                tasks,
                flushBeforeEffect,
                new CallFallback.CallPort() {
                    @Override
                    public AuthorizationDecision authorize(PendingCall call) {
                        return ToolCallDispatcher.this.authorize(call, call.arguments());
                    }

                    @Override
                    public Optional<Cost> cost(CatalogTool tool, Json arguments) {
                        return context.authorizer().cost(claim.tenant(), tool.spec(), arguments);
                    }

                    @Override
                    public boolean canSend(long call) {
                        return book.canSend(call);
                    }

                    @Override
                    public CompletionStage<ToolReply> send(PendingCall call, Instant deadline) {
                        return transmit(call, deadline);
                    }
                });
        this.approvals = new RunApprovals(
                claim, context.approvals(), entries, flushBeforeEffect, earlier.replay(), book, this::onDecision);
    }

    /** The script makes a call; told of all, in order. */
    void recordCall(long call, ToolName tool, Json arguments) {
        synchronized (callHistory) {
            callHistory.recordCall(tool);
            planGuard.recordCall(call, tool, arguments);
            sharedReads.recordCall(call, tool, arguments);
        }
    }

    /**
     * Sends a call, or sees to it that somebody answers it.
     *
     * @param perhaps whether an earlier run may have sent it
     */
    void dispatch(long ordinal, ToolName tool, Json arguments, boolean perhaps) {
        PendingCall call = new PendingCall(ordinal, tool, arguments, perhaps);
        while (pendingCalls.isOpen(ordinal)) {
            try {
                applyEffectMode(call, authorize(call, arguments));
                return;
            } catch (StoreUnavailableException e) {
                if (!JournalWriter.pauseBeforeRetry()) {
                    return;
                }
            }
        }
    }

    private AuthorizationDecision authorize(PendingCall call, Json arguments) {
        PolicyContext situation =
                callHistory.policyContext(call.ordinal(), () -> fallback.toolsUsedBefore(call.ordinal()));
        return context.authorizer().authorize(claim.submitter(), grants, call.tool(), arguments, situation);
    }

    /** What changes something is only listed in a dry run, and only made where it was planned when there is a plan. */
    private void applyEffectMode(PendingCall call, AuthorizationDecision verdict) {
        Optional<CatalogTool> effect = effectTool(verdict);
        if (effect.isPresent() && claim.effects() instanceof EffectMode.DryRun dry) {
            boolean asks = verdict instanceof AuthorizationDecision.CallNeedsApproval;
            String rule = verdict instanceof AuthorizationDecision.CallNeedsApproval ask
                    ? ask.rule()
                    : ((AuthorizationDecision.CallAllowed) verdict).rule();
            entries.addPolicyDecision(
                    call.ordinal(), call.tool(), rule, asks ? DryRunPlan.PLANNED_WITH_APPROVAL : DryRunPlan.PLANNED);
            Json answer = MockResponses.of(effect.get().spec(), dry.fixtures());
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResult.success(answer)));
        } else if (effect.isPresent() && planGuard.hasPlan()) {
            if (planGuard.allows(call)) {
                applyDecision(call, approvedByPlan(verdict));
            }
        } else {
            applyDecision(call, verdict);
        }
    }

    /** Whether an event may go out to others; if not, the call is answered, or the run stopped. Waits for the store. */
    boolean mayEmit(long ordinal, ToolName tool, Json arguments) {
        return mayHaveExternalEffect(ordinal, tool, arguments, new Json("{\"seq\":0}"));
    }

    /** The script itself asks people: their decision is its answer. Waits for the store, never for people. */
    void requestApproval(long ordinal, ToolName tool, Json arguments) {
        ApprovalRequest question;
        try {
            question = ScriptApprovalRequests.toApprovalRequest(claim.fence().id(), ordinal, tool, arguments);
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            pendingCalls.answer(ordinal, ToolReply.local(ToolResult.failure(ToolErrorCode.INVALID_ARGUMENTS, why)));
            return;
        }
        if (!mayHaveExternalEffect(ordinal, tool, arguments, ScriptApprovalRequests.dryRunReply())) {
            return;
        }
        PendingCall call = new PendingCall(ordinal, tool, arguments, false);
        while (pendingCalls.isOpen(ordinal)) {
            try {
                approvals.requestApproval(
                        new PendingCall.CallAwaitingApproval(call, Optional.empty(), false), question);
                return;
            } catch (StoreUnavailableException e) {
                if (!JournalWriter.pauseBeforeRetry()) {
                    return;
                }
            }
        }
    }

    /** Whether a dry run is to list a call that is answered from a recording: as what it would make, if it came to its tool then. */
    boolean isListedInPlan(TraceEvent.ToolEnded answer) {
        if (!(claim.effects() instanceof EffectMode.DryRun)
                || answer.error()
                        .filter(error -> CallBudget.NOT_EXECUTED_CODES.contains(error.code()))
                        .isPresent()) {
            return false;
        }
        ToolName tool = answer.tool();
        if (tool.backend().equals(HostServices.BACKEND)) {
            return tool.tool().equals(HostServices.EVENT_EMIT) || tool.tool().equals(HostServices.APPROVAL_REQUEST);
        }
        if (context.authorizer().canonicalName(tool).backend().equals(CapabilityToolProvider.BACKEND)) {
            return true;
        }
        return context.catalog()
                .find(tool)
                .filter(found -> !found.spec().hints().readOnly())
                .isPresent();
    }

    /** @param madeUp the answer in a dry run */
    private boolean mayHaveExternalEffect(long ordinal, ToolName tool, Json arguments, Json madeUp) {
        if (claim.effects() instanceof EffectMode.DryRun) {
            entries.addPolicyDecision(ordinal, tool, HOST_RULE, DryRunPlan.PLANNED);
            pendingCalls.answer(ordinal, ToolReply.local(ToolResult.success(madeUp)));
            return false;
        }
        PendingCall call = new PendingCall(ordinal, tool, arguments, false);
        while (planGuard.hasPlan() && pendingCalls.isOpen(ordinal)) {
            try {
                return planGuard.allows(call);
            } catch (StoreUnavailableException e) {
                if (!JournalWriter.pauseBeforeRetry()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Optional<CatalogTool> effectTool(AuthorizationDecision verdict) {
        CatalogTool tool = verdict instanceof AuthorizationDecision.CallAllowed pass
                ? pass.tool()
                : verdict instanceof AuthorizationDecision.CallNeedsApproval ask ? ask.tool() : null;
        return Optional.ofNullable(tool).filter(found -> !found.spec().hints().readOnly());
    }

    /** Who approved the plan approved the call; where more must, they are asked. */
    private static AuthorizationDecision approvedByPlan(AuthorizationDecision verdict) {
        if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask) {
            return ask.terms().requiredApprovals() > 1
                    ? ask
                    : new AuthorizationDecision.CallAllowed(ask.tool(), DryRunPlan.PLANNED, ask.approverCanConfirm());
        }
        return verdict;
    }

    private void applyDecision(PendingCall call, AuthorizationDecision verdict) {
        if (verdict instanceof AuthorizationDecision.CallAllowed pass) {
            allow(call, pass);
        } else if (mayHaveChanged(call) && !repeatsEarlierDecision(call, verdict)) {
            // The rules are others now, or it is another time: that says nothing of a call that was made before.
            handleUnknownOutcome(call, verdict);
        } else if (verdict instanceof AuthorizationDecision.CallDenied refuse) {
            refuse(call, refuse.error(), refuse.rule());
        } else if (verdict instanceof AuthorizationDecision.CallMockedByPolicy mock) {
            mock(call, mock.rule(), mock.value());
        } else if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask) {
            askForApproval(call, ask);
        }
    }

    /** It is not made; who runs the service is told, too, but for what there is not at all. */
    private void refuse(PendingCall call, ToolError error, Optional<String> rule) {
        rule.ifPresent(name -> journalDecision(call, name, "deny"));
        if (error.code() != ToolErrorCode.TOOL_NOT_FOUND) {
            context.metricsListener()
                    .refusals()
                    .recordRefusal(claim.tenant(), claim.fence().id(), call.tool(), error.code(), rule);
        }
        pendingCalls.answer(call.ordinal(), ToolReply.local(new ToolResult.ToolFailure(error)));
    }

    /** It is answered without being made. */
    private void mock(PendingCall call, String rule, Json value) {
        journalDecision(call, rule, TraceEvent.PolicyDecided.MOCK);
        pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResult.success(value)));
    }

    private void allow(PendingCall call, AuthorizationDecision.CallAllowed pass) {
        boolean heldBack = replayContext.replay().isAwaitingApproval(call.ordinal());
        if (heldBack) {
            // Whatever the rule: who follows this run must find that it is held back no more.
            entries.addPolicyDecision(call.ordinal(), call.tool(), pass.rule(), "allow");
        } else {
            journalDecision(call, pass.rule(), "allow");
        }
        chargeAndSend(
                call,
                pass.tool(),
                call.arguments(),
                call.maybeSent() && !heldBack,
                pass.approverCanConfirm(),
                SendAuthority.RULES);
    }

    /** Whether an earlier run may have sent it, so that it had an effect which a second one would double. */
    private boolean mayHaveChanged(PendingCall call) {
        return call.maybeSent()
                && !replayContext.replay().isAwaitingApproval(call.ordinal())
                && context.catalog()
                        .find(call.tool())
                        .map(tool -> tool.spec().hints())
                        .map(hints -> isNotRepeatable(call, hints))
                        .orElse(true);
    }

    /** Whether a second call would have a second effect: also of one that may have gone to another backend. */
    private boolean isNotRepeatable(PendingCall call, ToolHints hints) {
        return !hints.readOnly()
                && (!hints.idempotent() || replayContext.replay().usedFallback(call.ordinal()));
    }

    /** Whether the same was said before: what is asked is answered, and what is refused for these reasons never left. */
    private boolean repeatsEarlierDecision(PendingCall call, AuthorizationDecision verdict) {
        return verdict instanceof AuthorizationDecision.CallNeedsApproval
                        && replayContext.replay().requiredApproval(call.ordinal())
                || verdict instanceof AuthorizationDecision.CallDenied refuse
                        && (refuse.error().code() == ToolErrorCode.NOT_GRANTED
                                || refuse.error().code() == ToolErrorCode.INVALID_ARGUMENTS);
    }

    private void handleUnknownOutcome(PendingCall call, AuthorizationDecision verdict) {
        if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask) {
            resolveUnknownOutcome(call, ask.tool(), ask.approverCanConfirm());
        } else {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
        }
    }

    private void journalDecision(PendingCall call, String rule, String decision) {
        if (!rule.equals(PolicyProvider.DEFAULT_ALLOW)) {
            entries.addPolicyDecision(call.ordinal(), call.tool(), rule, decision);
        }
    }

    private void askForApproval(PendingCall call, AuthorizationDecision.CallNeedsApproval ask) {
        ApprovalRequest question = approvalRequest(call, ApprovalKind.CALL, 0, ask.rule(), ask.terms());
        if (!replayContext.replay().requiredApproval(call.ordinal())) {
            journalDecision(call, ask.rule(), "ask");
        }
        approvals.requestApproval(
                new PendingCall.CallAwaitingApproval(call, Optional.of(ask.tool()), ask.approverCanConfirm()),
                question);
    }

    private ApprovalRequest approvalRequest(
            PendingCall call, ApprovalKind kind, int round, String rule, ApprovalTerms terms) {
        return new ApprovalRequest(
                claim.fence().id(), call.ordinal(), kind, round, call.tool(), call.arguments(), rule, terms);
    }

    /** @param heard whether an earlier run has heard it, and so may have sent the call */
    private void onDecision(PendingCall.CallAwaitingApproval waiting, Approval approval, boolean heard) {
        PendingCall call = waiting.call();
        // After a yes it may have been held back for another reason.
        boolean perhaps = heard && !replayContext.replay().isAwaitingApproval(call.ordinal());
        Optional<Approval.ApprovalDecision> made = approval.decision();
        if (approval.request().kind() == ApprovalKind.QUESTION) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ScriptApprovalRequests.toToolResult(approval)));
        } else if (approval.request().kind() == ApprovalKind.OUTCOME) {
            Optional<Json> result = made.flatMap(Approval.ApprovalDecision::result);
            if (!approval.isGranted()) {
                pendingCalls.answer(
                        call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown("a person could not tell either")));
            } else if (result.isPresent()) {
                pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResult.success(result.get())));
            } else {
                // It was paid for when it left first.
                sendApproved(waiting, lastSentArguments(call), false, SendAuthority.PEOPLE);
            }
        } else if (approval.resultAtExpiry().isPresent()) {
            mock(call, approval.request().rule(), approval.resultAtExpiry().get());
        } else if (!approval.isGranted()) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.approvalDenied(approval)));
        } else {
            made.flatMap(Approval.ApprovalDecision::editedArguments)
                    .ifPresentOrElse(
                            edited -> sendEdited(waiting, approval, edited, perhaps),
                            () -> sendApproved(waiting, call.arguments(), perhaps, authorityFor(approval)));
        }
    }

    /** People say whether it may be made, not in whose name: that may have been taken back while they were asked. */
    private void sendApproved(
            PendingCall.CallAwaitingApproval waiting, Json arguments, boolean perhaps, SendAuthority by) {
        PendingCall call = waiting.call();
        CatalogTool tool = waiting.tool().orElseThrow();
        Optional<PolicyDecision.DenyDecision> withdrawn = context.authorizer()
                .findRevocation(claim.submitter(), tool.spec().name());
        if (withdrawn.isEmpty()) {
            chargeAndSend(call, tool, arguments, perhaps, waiting.approverCanConfirm(), by);
        } else if (perhaps) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
        } else {
            PolicyDecision.DenyDecision deny = withdrawn.get();
            refuse(call, PolicyDecision.DenyDecision.toToolError(deny.rule(), deny.reason()), Optional.of(deny.rule()));
        }
    }

    private static SendAuthority authorityFor(Approval approval) {
        return approval.request().kind() == ApprovalKind.CALL
                        && approval.request().round() == BUDGET_ROUND
                ? SendAuthority.PEOPLE_BEYOND_BUDGETS
                : SendAuthority.PEOPLE;
    }

    /** What a call was made with before nobody knew what became of it. */
    private Json lastSentArguments(PendingCall call) {
        return replayContext.replay().decisions(call.ordinal()).stream()
                .flatMap(decision -> decision.editedArguments().stream())
                .findFirst()
                .orElse(call.arguments());
    }

    /** Rules and schema hold for what a person wrote, too; only that this rule asks has been done. */
    private void sendEdited(PendingCall.CallAwaitingApproval waiting, Approval approval, Json edited, boolean perhaps) {
        PendingCall call = waiting.call();
        AuthorizationDecision verdict = authorize(call, edited);
        Optional<ToolError> fault = EditedArgumentsCheck.findViolation(approval, verdict);
        if (fault.isPresent() && perhaps) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
        } else if (fault.isPresent()) {
            refuse(call, fault.get(), Optional.empty());
        } else {
            chargeAndSend(
                    call,
                    waiting.tool().orElseThrow(),
                    edited,
                    perhaps,
                    waiting.approverCanConfirm(),
                    authorityFor(approval));
        }
    }

    /** By whose leave a call is made. */
    private enum SendAuthority {
        /** That of the rules, which may let another take it, too. */
        RULES,
        /** That of people, who saw which tool is called. */
        PEOPLE,
        /** That of people, who said yes to it beyond what budgets have. */
        PEOPLE_BEYOND_BUDGETS
    }

    /** @param perhaps whether an earlier run may have sent it */
    private void chargeAndSend(
            PendingCall call,
            CatalogTool tool,
            Json arguments,
            boolean perhaps,
            boolean personKnows,
            SendAuthority by) {
        if (perhaps && isNotRepeatable(call, tool.spec().hints())) {
            resolveUnknownOutcome(call, tool, personKnows);
            return;
        }
        CallBudget.BudgetDecision paid =
                callBudget.charge(call, tool, arguments, perhaps, by == SendAuthority.PEOPLE_BEYOND_BUDGETS);
        if (!(paid instanceof CallBudget.BudgetDecision.ChargeAccepted price)) {
            // What a person wrote stays what the next one is asked about.
            budgetExceeded(call.withArguments(arguments), tool, personKnows, paid);
            return;
        }
        // By the name that the catalog has.
        PendingCall leaving = new PendingCall(call.ordinal(), tool.spec().name(), arguments, perhaps);
        if (!send(leaving, tool, price.charged(), by == SendAuthority.RULES) && price.charged()) {
            callBudget.refund(call);
        }
    }

    /** The budget has not so much. */
    private void budgetExceeded(
            PendingCall call, CatalogTool tool, boolean personKnows, CallBudget.BudgetDecision verdict) {
        if (verdict instanceof CallBudget.BudgetDecision.ChargeRefused refused) {
            refuse(call, refused.error(), refused.rule());
        } else if (verdict instanceof CallBudget.BudgetDecision.ChargeNeedsApproval ask) {
            // Each time: the word that a rule lets it through may come before, and it is held back all the same.
            journalDecision(call, ask.rule(), "ask");
            ApprovalTerms terms =
                    new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, ask.reason());
            approvals.requestApproval(
                    new PendingCall.CallAwaitingApproval(call, Optional.of(tool), personKnows),
                    approvalRequest(call, ApprovalKind.CALL, BUDGET_ROUND, ask.rule(), terms));
        }
    }

    /**
     * Whether it has left; false when nothing may any more.
     *
     * @param elsewhere whether it may be made by those who stand in for its backend
     */
    private boolean send(PendingCall call, CatalogTool tool, boolean charged, boolean elsewhere) {
        ToolHints hints = tool.spec().hints();
        if (!hints.readOnly()) {
            BooleanSupplier store = tool.spec().name().backend().equals(CapabilityToolProvider.BACKEND)
                    ? flushBeforeNesting
                    : flushBeforeEffect;
            if (!store.getAsBoolean()) {
                return false;
            }
            Failpoint.CALL_JOURNALED.reached(callId(call));
        }
        CompletableFuture<ToolReply> coming = new CompletableFuture<>();
        if (!pendingCalls.markSent(call.ordinal(), coming, !hints.readOnly())) {
            return false; // the execution ended while this waited for the store: nothing may leave any more
        }
        Instant deadline = context.clock().instant().plus(context.limits().callTimeout());
        coming.thenAccept(reply -> pendingCalls.answer(call.ordinal(), reply));
        CompletionStage<ToolReply> reply = elsewhere && hints.readOnly() && sharedReads.isEnabled()
                ? sharedReads.send(toToolCall(call, deadline), tool)
                : transmit(call, deadline);
        // A plan names the tools that change something.
        if (elsewhere && (hints.readOnly() || !planGuard.hasPlan())) {
            reply = reply.thenCompose(
                    first -> fallback.retryOnFallback(first, new CallFallback.FailedCall(call, tool, deadline)));
        }
        reply.thenCompose(last -> startingBackendRetry.retryWhileStarting(
                        last, call.ordinal(), deadline, () -> transmit(call, deadline)))
                .thenAccept(last -> {
                    boolean neverSent = last.attempts() == 0 && !call.maybeSent();
                    if (charged && (CallBudget.isFree(last) || neverSent)) {
                        // Before anybody hears of it: whoever is told that it was not made finds that it cost nothing.
                        context.executor().execute(() -> {
                            callBudget.refund(call);
                            coming.complete(last);
                        });
                    } else {
                        coming.complete(last);
                    }
                });
        return true;
    }

    private CompletionStage<ToolReply> transmit(PendingCall call, Instant deadline) {
        return context.bridge().send(toToolCall(call, deadline));
    }

    private ToolCall toToolCall(PendingCall call, Instant deadline) {
        return new ToolCall(callId(call), claim.tenant(), call.tool(), call.arguments(), deadline, traceHeaders(call));
    }

    /** Nobody knows whether an earlier run's call had its effect. */
    private void resolveUnknownOutcome(PendingCall call, CatalogTool tool, boolean personKnows) {
        if (!personKnows) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
            return;
        }
        int round = (int) replayContext.replay().decisions(call.ordinal()).stream()
                .filter(decision -> decision.kind() == ApprovalKind.OUTCOME)
                .count();
        List<ToolName> others = replayContext.replay().fallbackTools().getOrDefault(call.ordinal(), List.of());
        String elsewhere = others.isEmpty() ? "" : " (it may have been made by " + others.get(others.size() - 1) + ")";
        ApprovalTerms terms = new ApprovalTerms(
                1,
                ApprovalTerms.DEFAULT_TIMEOUT,
                ApprovalTerms.ExpiryAction.DENY,
                INTERRUPTED + ": did this happen?" + elsewhere);
        approvals.requestApproval(
                new PendingCall.CallAwaitingApproval(call, Optional.of(tool), personKnows),
                approvalRequest(call, ApprovalKind.OUTCOME, round, "whenUnknown", terms));
    }

    private Optional<TraceHeaders> traceHeaders(PendingCall call) {
        return claim.trace()
                .map(trace -> trace.headers(
                        SpanIdGenerator.callSpanId(claim.fence().id().value(), call.ordinal())));
    }

    private CallId callId(PendingCall call) {
        return new CallId(claim.fence().id().toString(), call.ordinal());
    }

    /** What people are asked. */
    RunApprovals approvals() {
        return approvals;
    }
}
