package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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
 * Dispatches the tool calls of one execution: authorizes each call, requests approval where the policy demands it,
 * charges the budget, and sends the call. Work that waits for the store runs on the execution's serial executor.
 */
final class ToolCallDispatcher {
    private static final Logger LOG = System.getLogger(ToolCallDispatcher.class.getName());
    private static final String HOST_RULE = "host";
    private static final String READ_ONLY_RULE = "readOnly";
    /** Approval round of a budget question. Round 0 is the approval that the policy requires for the call itself. */
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
        /** Returns whether the call has no reply yet. */
        boolean isOpen(long call);

        /** Returns whether the call has no reply yet and the run may still send calls. */
        boolean canSend(long call);

        /**
         * Marks a call as sent, immediately before the dispatcher sends it.
         *
         * @param coming completes with the reply
         * @param mayChange whether the call may have an effect from now on
         * @return false when the run may not send any more calls
         */
        boolean markSent(long call, CompletionStage<ToolReply> coming, boolean mayChange);

        void answer(long call, ToolReply reply);

        /** Marks a call that the next {@link #answer} refuses because its tool is not granted. */
        void markNotGranted(long call);

        /** Records that the arguments of the call are stored, and no longer needed in memory until its reply. */
        void argumentsStored(long call);

        /**
         * Frees the memory that is reserved for the arguments of the call. Returns false if none is reserved; otherwise
         * the caller drops them.
         */
        boolean dropArguments(long call);

        /**
         * Reserves memory for dropped arguments of {@code chars} characters, so that they can be read again. Returns
         * whether it is reserved. If not, the reservation is pending, and the caller asks for it later.
         */
        boolean tryReserveDropped(long call, int chars);

        /** Tells the sandbox that the reply will take long. */
        void postpone(long call);
    }

    /**
     * @param tasks runs work that waits for the store, one task at a time
     * @param writer stores all earlier entries before an effect, and reports when the effect must not be sent
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
        this.approvals =
                new RunApprovals(claim, context, entries, flushBeforeEffect, earlier.replay(), book, this::onDecision);
    }

    /** Records a call of the script. The caller reports every call, in order. */
    void recordCall(long call, ToolName tool, Json arguments) {
        synchronized (callHistory) {
            callHistory.recordCall(tool);
            planGuard.recordCall(call, tool, arguments);
            sharedReads.recordCall(call, tool, arguments);
        }
    }

    /**
     * Authorizes a call and then sends it, answers it, or requests approval. Waits for the store and retries while the
     * store is unavailable.
     *
     * @param maybeSent whether an earlier run may have sent the call
     */
    void dispatch(long ordinal, ToolName tool, Json arguments, boolean maybeSent) {
        PendingCall call = new PendingCall(ordinal, tool, arguments, maybeSent);
        StoreRetry.runWhileUnavailable(
                () -> applyEffectMode(call, authorize(call, arguments)), () -> !pendingCalls.isOpen(ordinal));
    }

    private AuthorizationDecision authorize(PendingCall call, Json arguments) {
        PolicyContext situation =
                callHistory.policyContext(call.ordinal(), () -> fallback.toolsUsedBefore(call.ordinal()));
        return context.authorizer().authorize(claim.submitter(), grants, call.tool(), arguments, situation);
    }

    /**
     * In a dry run, a call with an effect is only listed in the plan and answered with a mock. Under an approved plan,
     * it is sent only if the plan contains it. In an execution that may only read, it is denied.
     */
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
        } else if (effect.isPresent() && claim.effects() instanceof EffectMode.ReadOnlyEffects) {
            applyDecision(
                    call, new AuthorizationDecision.CallDenied(effectDenied(call.tool()), Optional.of(READ_ONLY_RULE)));
        } else {
            applyDecision(call, verdict);
        }
    }

    private static ToolError effectDenied(ToolName tool) {
        String name = tool.backend().equals(HostServices.BACKEND) ? tool.tool() : tool.toString();
        return PolicyDecision.DenyDecision.toToolError(
                READ_ONLY_RULE,
                "'" + name + "' may change something, and this execution may only read, because it answers several"
                        + " items of a batch, or repeats one that does; submit the items without 'coalesce'");
    }

    /**
     * Returns whether the script may emit an event to others. If not, this method has answered the call, or the plan
     * guard has stopped the run. Waits for the store.
     */
    boolean mayEmit(long ordinal, ToolName tool, Json arguments) {
        return mayHaveExternalEffect(ordinal, tool, arguments, new Json("{\"seq\":0}"));
    }

    /**
     * Handles an approval request of the script itself: the decision becomes the reply to the call. Waits for the
     * store, but never for a decision.
     */
    void requestApproval(long ordinal, ToolName tool, Json arguments) {
        ApprovalRequest question;
        try {
            question = ScriptApprovalRequests.toApprovalRequest(claim.fence().id(), ordinal, tool, arguments);
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            pendingCalls.answer(ordinal, ToolReply.local(ToolResult.failure(ToolErrorCode.INVALID_ARGUMENTS, why)));
            return;
        }
        if (mayHaveExternalEffect(ordinal, tool, arguments, ScriptApprovalRequests.dryRunReply())) {
            requestApproval(ordinal, tool, arguments, question);
        }
    }

    private void requestApproval(long ordinal, ToolName tool, Json arguments, ApprovalRequest question) {
        PendingCall call = new PendingCall(ordinal, tool, arguments, false);
        PendingCall.CallAwaitingApproval waiting = new PendingCall.CallAwaitingApproval(call, Optional.empty(), false);
        StoreRetry.runWhileUnavailable(
                () -> approvals.requestApproval(waiting, question), () -> !pendingCalls.isOpen(ordinal));
    }

    /**
     * Returns whether a dry run lists a call that is answered from a recording. A call is listed if it has an effect
     * and its recorded reply shows that it reached its tool.
     */
    boolean isListedInPlan(TraceEvent.ToolEnded answer) {
        if (!(claim.effects() instanceof EffectMode.DryRun)
                || answer.error()
                        .filter(error -> ToolErrorCode.NOT_EXECUTED.contains(error.code()))
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

    /** @param madeUp the reply in a dry run */
    private boolean mayHaveExternalEffect(long ordinal, ToolName tool, Json arguments, Json madeUp) {
        if (claim.effects() instanceof EffectMode.DryRun) {
            entries.addPolicyDecision(ordinal, tool, HOST_RULE, DryRunPlan.PLANNED);
            pendingCalls.answer(ordinal, ToolReply.local(ToolResult.success(madeUp)));
            return false;
        }
        PendingCall call = new PendingCall(ordinal, tool, arguments, false);
        if (claim.effects() instanceof EffectMode.ReadOnlyEffects) {
            refuse(call, effectDenied(tool), Optional.of(READ_ONLY_RULE));
            return false;
        }
        return !planGuard.hasPlan()
                || StoreRetry.callWhileUnavailable(() -> planGuard.allows(call), () -> !pendingCalls.isOpen(ordinal))
                        .orElse(false);
    }

    private static Optional<CatalogTool> effectTool(AuthorizationDecision verdict) {
        CatalogTool tool = verdict instanceof AuthorizationDecision.CallAllowed pass
                ? pass.tool()
                : verdict instanceof AuthorizationDecision.CallNeedsApproval ask ? ask.tool() : null;
        return Optional.ofNullable(tool).filter(found -> !found.spec().hints().readOnly());
    }

    /**
     * Replaces a required approval by the approval of the plan. A call that requires more than one approval still needs
     * its own.
     */
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
            // The rules or the time differ from those of the earlier run, so this decision says nothing about a call
            // that the earlier run may have sent.
            handleUnknownOutcome(call, verdict);
        } else if (verdict instanceof AuthorizationDecision.CallDenied refuse) {
            refuse(call, refuse.error(), refuse.rule());
        } else if (verdict instanceof AuthorizationDecision.CallMockedByPolicy mock) {
            mock(call, mock.rule(), mock.value());
        } else if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask) {
            askForApproval(call, ask);
        }
    }

    /**
     * Answers a call with an error instead of sending it, and logs the refusal for the operator unless the tool does
     * not exist.
     */
    private void refuse(PendingCall call, ToolError error, Optional<String> rule) {
        rule.ifPresent(name -> journalDecision(call, name, "deny"));
        if (error.code() != ToolErrorCode.TOOL_NOT_FOUND) {
            String shownName = context.redactionProvider()
                    .cachedRedactorFor(claim.tenant())
                    .redact(call.tool().toString());
            context.metricsListener()
                    .refusals()
                    .recordRefusal(claim.tenant(), claim.fence().id(), shownName, error.code(), rule);
        }
        if (error.code() == ToolErrorCode.NOT_GRANTED) {
            pendingCalls.markNotGranted(call.ordinal());
        }
        ToolResult refusal = new ToolResult.ToolFailure(error);
        pendingCalls.answer(call.ordinal(), call.maybeSent() ? ToolReply.local(refusal) : ToolReply.notSent(refusal));
    }

    /** Answers a call with a mock value instead of sending it. */
    private void mock(PendingCall call, String rule, Json value) {
        journalDecision(call, rule, TraceEvent.PolicyDecided.MOCK);
        pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResult.success(value)));
    }

    private void allow(PendingCall call, AuthorizationDecision.CallAllowed pass) {
        boolean heldBack = replayContext.replay().isAwaitingApproval(call.ordinal());
        if (heldBack) {
            // Journal the decision even for the default rule: a later run must find that the call is no longer held for
            // approval.
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

    /** Returns whether an earlier run may have sent the call and a second call could repeat its effect. */
    private boolean mayHaveChanged(PendingCall call) {
        return call.maybeSent()
                && !replayContext.replay().isAwaitingApproval(call.ordinal())
                && context.catalog()
                        .find(call.tool())
                        .map(tool -> tool.spec().hints())
                        .map(hints -> isNotRepeatable(call, hints))
                        .orElse(true);
    }

    /**
     * Returns whether sending the call again could have a second effect. This includes an idempotent call that may have
     * been sent to a fallback backend.
     */
    private boolean isNotRepeatable(PendingCall call, ToolHints hints) {
        return !hints.readOnly()
                && (!hints.idempotent() || replayContext.replay().usedFallback(call.ordinal()));
    }

    /**
     * Returns whether this decision shows that the call was never sent by an earlier run, or is resolved by the
     * approval that the earlier run requested. A call refused as not granted or for invalid arguments was never sent.
     */
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

    /** @param heard whether an earlier run received this decision, and so may have sent the call */
    private void onDecision(PendingCall.CallAwaitingApproval waiting, Approval approval, boolean heard) {
        PendingCall call = waiting.call();
        // After the approval, the call may have been held again for another reason.
        boolean maybeSent = heard && !replayContext.replay().isAwaitingApproval(call.ordinal());
        Optional<Approval.ApprovalDecision> decision = approval.decision();
        if (approval.request().kind() == ApprovalKind.QUESTION) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ScriptApprovalRequests.toToolResult(approval)));
        } else if (approval.request().kind() == ApprovalKind.OUTCOME) {
            Optional<Json> result = decision.flatMap(Approval.ApprovalDecision::result);
            if (!approval.isGranted()) {
                pendingCalls.answer(
                        call.ordinal(),
                        ToolReply.local(ToolResults.outcomeUnknown("no approver could tell the outcome")));
            } else if (result.isPresent()) {
                pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResult.success(result.get())));
            } else {
                // The call was charged when it was first sent.
                sendApproved(waiting, lastSentArguments(call), false, SendAuthority.PEOPLE);
            }
        } else if (approval.resultAtExpiry().isPresent()) {
            mock(call, approval.request().rule(), approval.resultAtExpiry().get());
        } else if (!approval.isGranted()) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.approvalDenied(approval)));
        } else {
            decision.flatMap(Approval.ApprovalDecision::editedArguments)
                    .ifPresentOrElse(
                            edited -> sendEdited(waiting, approval, edited, maybeSent),
                            () -> sendApproved(waiting, call.arguments(), maybeSent, authorityFor(approval)));
        }
    }

    /**
     * Sends a call after an approval. An approval does not restore the submitter's access to the tool, which may have
     * been revoked while the approval was pending; such a call is refused.
     */
    private void sendApproved(
            PendingCall.CallAwaitingApproval waiting, Json arguments, boolean maybeSent, SendAuthority by) {
        PendingCall call = waiting.call();
        CatalogTool tool = waiting.tool().orElseThrow();
        Optional<PolicyDecision.DenyDecision> withdrawn = context.authorizer()
                .findRevocation(claim.submitter(), tool.spec().name());
        if (withdrawn.isEmpty()) {
            chargeAndSend(call, tool, arguments, maybeSent, waiting.approverCanConfirm(), by);
        } else if (maybeSent) {
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

    /**
     * Returns the arguments that an earlier run sent before the outcome became unknown: the edited ones, if an approver
     * edited them.
     */
    private Json lastSentArguments(PendingCall call) {
        return replayContext.replay().decisions(call.ordinal()).stream()
                .flatMap(decision -> decision.editedArguments().stream())
                .findFirst()
                .orElse(call.arguments());
    }

    /**
     * Sends a call with arguments that an approver edited. Policy rules and the schema apply to the edited arguments
     * too; only the rule that requested this approval counts as satisfied.
     */
    private void sendEdited(
            PendingCall.CallAwaitingApproval waiting, Approval approval, Json edited, boolean maybeSent) {
        PendingCall call = waiting.call();
        AuthorizationDecision verdict = authorize(call, edited);
        Optional<ToolError> violation = EditedArgumentsCheck.findViolation(approval, verdict);
        if (violation.isPresent() && maybeSent) {
            pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
        } else if (violation.isPresent()) {
            refuse(call, violation.get(), Optional.empty());
        } else {
            chargeAndSend(
                    call,
                    waiting.tool().orElseThrow(),
                    edited,
                    maybeSent,
                    waiting.approverCanConfirm(),
                    authorityFor(approval));
        }
    }

    /** The authority under which a call is sent. */
    private enum SendAuthority {
        /** The policy rules. A fallback backend may take the call too. */
        RULES,
        /** Approvers, who saw which tool is called. No fallback is allowed. */
        PEOPLE,
        /** Approvers, who also allowed the call to exceed the budgets. */
        PEOPLE_BEYOND_BUDGETS
    }

    /**
     * @param maybeSent whether an earlier run may have sent the call
     * @param personKnows whether an approver is asked when the outcome is unknown
     */
    private void chargeAndSend(
            PendingCall call,
            CatalogTool tool,
            Json arguments,
            boolean maybeSent,
            boolean personKnows,
            SendAuthority by) {
        if (maybeSent && isNotRepeatable(call, tool.spec().hints())) {
            resolveUnknownOutcome(call, tool, personKnows);
            return;
        } else if (claim.effects() instanceof EffectMode.ReadOnlyEffects && !isReadOnlyNow(tool)) {
            // The tool has changed since the call was authorized, for example while it waited for an approval.
            if (maybeSent) {
                pendingCalls.answer(call.ordinal(), ToolReply.local(ToolResults.outcomeUnknown(INTERRUPTED)));
            } else {
                refuse(call, effectDenied(call.tool()), Optional.of(READ_ONLY_RULE));
            }
            return;
        }
        CallBudget.BudgetDecision paid =
                callBudget.charge(call, tool, arguments, maybeSent, by == SendAuthority.PEOPLE_BEYOND_BUDGETS);
        if (!(paid instanceof CallBudget.BudgetDecision.ChargeAccepted price)) {
            // Keep the edited arguments, so that the next approver is asked about them.
            budgetExceeded(call.withArguments(arguments), tool, personKnows, paid);
            return;
        }
        // Use the name from the catalog, which may differ from the name in the script.
        PendingCall leaving = new PendingCall(call.ordinal(), tool.spec().name(), arguments, maybeSent);
        if (!send(leaving, tool, price.charged(), by == SendAuthority.RULES) && price.charged()) {
            callBudget.refund(call);
        }
    }

    private boolean isReadOnlyNow(CatalogTool tool) {
        return context.catalog()
                .find(tool.spec().name())
                .filter(found -> found.spec().hints().readOnly())
                .isPresent();
    }

    /** Handles a charge that was not accepted: refuses the call, or requests approval to exceed the budget. */
    private void budgetExceeded(
            PendingCall call, CatalogTool tool, boolean personKnows, CallBudget.BudgetDecision verdict) {
        if (verdict instanceof CallBudget.BudgetDecision.ChargeRefused refused) {
            refuse(call, refused.error(), refused.rule());
        } else if (verdict instanceof CallBudget.BudgetDecision.ChargeNeedsApproval ask) {
            // Journal this in every run: an earlier entry may say that a rule allowed the call, although the budget
            // still holds it.
            journalDecision(call, ask.rule(), "ask");
            ApprovalTerms terms =
                    new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, ask.reason());
            approvals.requestApproval(
                    new PendingCall.CallAwaitingApproval(call, Optional.of(tool), personKnows),
                    approvalRequest(call, ApprovalKind.CALL, BUDGET_ROUND, ask.rule(), terms));
        }
    }

    /**
     * Sends a call.
     *
     * @param elsewhere whether a fallback of the tool's backend may take the call
     * @return false when the run may not send any more calls; the call was then not sent
     */
    private boolean send(PendingCall call, CatalogTool tool, boolean charged, boolean elsewhere) {
        ToolHints hints = tool.spec().hints();
        boolean nested = tool.spec().name().backend().equals(CapabilityToolProvider.BACKEND);
        if (!hints.readOnly()) {
            BooleanSupplier store = nested ? flushBeforeNesting : flushBeforeEffect;
            if (!store.getAsBoolean()) {
                return false;
            }
            Failpoint.CALL_JOURNALED.reached(callId(call));
        }
        CompletableFuture<ToolReply> coming = new CompletableFuture<>();
        if (!pendingCalls.markSent(call.ordinal(), coming, !hints.readOnly())) {
            return false; // the execution ended during the wait for the store: send nothing
        }
        long ordinal = call.ordinal();
        coming.thenAccept(reply -> pendingCalls.answer(ordinal, reply));
        CompletionStage<ToolReply> reply;
        try {
            claim.capability().ifPresent(version -> context.usedTools().recordUse(claim.tenant(), version, tool));
            Instant deadline = context.clock().instant().plus(context.limits().callTimeout());
            reply = nested ? transmit(call, deadline) : sendToBackend(call, tool, deadline, elsewhere);
        } catch (RuntimeException | Error e) {
            pendingCalls.dropArguments(ordinal); // Otherwise they would be freed with the reply, which never comes.
            throw e;
        }
        // A nested execution may run for long. Its caller does not hold the arguments meanwhile: they are its input.
        PendingCall sent = nested ? call.withArguments(Json.EMPTY_OBJECT) : call;
        reply.whenComplete((received, failure) -> {
            if (failure != null) {
                LOG.log(Level.ERROR, "call " + callId(sent) + " failed on this node", failure);
            }
            ToolReply last = failure == null ? received : failedReply(tool);
            boolean neverSent = last.attempts() == 0 && !sent.maybeSent();
            if (charged && (CallBudget.isFree(last) || neverSent)) {
                // Refund before the reply is delivered: a script that learns that the call was not made must find that
                // it cost nothing.
                context.executor().execute(() -> {
                    callBudget.refund(sent);
                    coming.complete(last);
                });
            } else {
                coming.complete(last);
            }
        });
        return true;
    }

    /** Returns the reply to a call that failed on this node after it was sent. */
    private static ToolReply failedReply(CatalogTool tool) {
        return ToolReply.local(
                tool.spec().hints().readOnly()
                        ? ToolResult.failure(
                                ToolErrorCode.BACKEND_UNAVAILABLE,
                                "'" + tool.spec().name() + "' could not be called: this node failed to handle the call")
                        : ToolResults.outcomeUnknown("this node failed to handle the call"));
    }

    /** Sends a call to its backend, and again to a fallback or while the backend is starting. */
    private CompletionStage<ToolReply> sendToBackend(
            PendingCall call, CatalogTool tool, Instant deadline, boolean elsewhere) {
        boolean readOnly = tool.spec().hints().readOnly();
        CompletionStage<ToolReply> reply = elsewhere && readOnly && sharedReads.isEnabled()
                ? sharedReads.send(toToolCall(call, deadline), tool)
                : transmit(call, deadline);
        // A plan approves effects for specific tools, so a fallback must not change the tool of a call with an effect.
        if (elsewhere && (readOnly || !planGuard.hasPlan())) {
            reply = reply.thenCompose(
                    first -> fallback.retryOnFallback(first, new CallFallback.FailedCall(call, tool, deadline)));
        }
        return reply.thenCompose(last -> startingBackendRetry.retryWhileStarting(
                last, call.ordinal(), deadline, () -> transmit(call, deadline)));
    }

    private CompletionStage<ToolReply> transmit(PendingCall call, Instant deadline) {
        long ordinal = call.ordinal();
        return context.bridge().send(toToolCall(call, deadline), () -> pendingCalls.argumentsStored(ordinal));
    }

    private ToolCall toToolCall(PendingCall call, Instant deadline) {
        return new ToolCall(callId(call), claim.tenant(), call.tool(), call.arguments(), deadline, traceHeaders(call));
    }

    /**
     * Handles a call of an earlier run whose outcome is unknown: asks an approver whether it happened, or answers that
     * the outcome is unknown.
     */
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

    RunApprovals approvals() {
        return approvals;
    }
}
