package org.sallyport.runner;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.CallCharge;
import org.sallyport.policy.CostStore.ChargeResult;
import org.sallyport.quota.DailyCallQuota;
import org.sallyport.quota.QuotaType;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Counts the calls of one execution and their cost. Charges a call before it is sent, and refunds it if it did not
 * reach its tool. A call without cost is not checked against any budget. Waits for the store.
 */
final class CallBudget {
    private static final Logger LOG = System.getLogger(CallBudget.class.getName());
    private static final int MAX_REFUND_TRIES = 20;

    private final ClaimedExecution claim;
    private final EngineServices context;
    private final ToolCallDispatcher.PendingCallRegistry pendingCalls;

    CallBudget(ClaimedExecution claim, EngineServices context, ToolCallDispatcher.PendingCallRegistry book) {
        this.claim = claim;
        this.context = context;
        this.pendingCalls = book;
    }

    /** Result of a charge. */
    sealed interface BudgetDecision {
        /** The call may be sent; {@code charged} is true when the call costs something. */
        record ChargeAccepted(boolean charged) implements BudgetDecision {}

        /** The call may be sent once an approver agrees. */
        record ChargeNeedsApproval(String rule, String reason) implements BudgetDecision {}

        /** The call may not be sent; {@code rule} is the budget or quota that refused it, if there is one. */
        record ChargeRefused(ToolError error, Optional<String> rule) implements BudgetDecision {}

        /** The run may not send any more calls. */
        record ChargeAbandoned() implements BudgetDecision {}
    }

    /**
     * Charges a call. Waits for the store and retries while the store is unavailable.
     *
     * @param maybeSent whether an earlier run may have sent the call, and so has counted it
     * @param beyond whether an approver allowed the call to exceed the budgets that ask; the call was counted before
     *     the approval was requested
     */
    BudgetDecision charge(PendingCall call, CatalogTool tool, Json arguments, boolean maybeSent, boolean beyond) {
        AtomicBoolean counted = new AtomicBoolean(maybeSent || beyond);
        return StoreRetry.callWhileUnavailable(
                        () -> tryToCharge(call, tool, arguments, counted, beyond),
                        () -> !pendingCalls.isOpen(call.ordinal()))
                .orElseGet(BudgetDecision.ChargeAbandoned::new);
    }

    private BudgetDecision tryToCharge(
            PendingCall call, CatalogTool tool, Json arguments, AtomicBoolean counted, boolean beyond) {
        if (!counted.get()) {
            Optional<BudgetDecision> tooMany =
                    context.quotas().calls().consumeCall(claim.tenant()).map(CallBudget::quotaExceeded);
            if (tooMany.isPresent()) {
                return tooMany.get();
            }
            counted.set(true);
        }
        Optional<Cost> cost = context.authorizer().cost(claim.tenant(), tool.spec(), arguments);
        if (cost.isEmpty()) {
            return new BudgetDecision.ChargeRefused(
                    new ToolError(
                            ToolErrorCode.INVALID_ARGUMENTS,
                            "the cost of '" + call.tool() + "' cannot be computed from these arguments"),
                    Optional.empty());
        }
        return cost.get().isZero() ? new BudgetDecision.ChargeAccepted(false) : charge(call, tool, cost.get(), beyond);
    }

    private static BudgetDecision quotaExceeded(DailyCallQuota.CallQuotaExceeded refusal) {
        ObjectNode details = JsonNodeFactory.instance.objectNode();
        details.put("quota", QuotaType.TOOL_CALLS.label());
        details.put("limit", refusal.maxCalls());
        details.put("renewsAt", refusal.renewsAt().toString());
        return new BudgetDecision.ChargeRefused(
                new ToolError(
                        ToolErrorCode.QUOTA_EXCEEDED,
                        "this tenant has used up its quota 'toolCalls' of " + refusal.maxCalls()
                                + " tool calls a day; it renews at " + refusal.renewsAt()
                                + ", or an operator of the installation can raise it",
                        Optional.of(new Json(details.toString()))),
                Optional.of("quota/" + QuotaType.TOOL_CALLS.label()));
    }

    private BudgetDecision charge(PendingCall call, CatalogTool tool, Cost cost, boolean beyond) {
        List<Budget> budgets = new ArrayList<>();
        claim.limits().cost().map(Budget::forSubmission).ifPresent(budgets::add);
        context.authorizer().budgets(claim.tenant()).stream()
                .filter(budget -> !(beyond && budget.asksWhenExceeded()))
                .forEach(budgets::add);
        ChargeResult answer = context.costStore()
                .charge(
                        new CallCharge(
                                claim.fence(), call.ordinal(), tool.spec().name(), cost),
                        budgets);
        if (answer instanceof ChargeResult.BudgetExceeded exceeded) {
            String why = explainExceeded(call, cost, exceeded);
            return exceeded.budget().asksWhenExceeded()
                    ? new BudgetDecision.ChargeNeedsApproval(rule(exceeded.budget()), why)
                    : new BudgetDecision.ChargeRefused(
                            new ToolError(ToolErrorCode.BUDGET_EXCEEDED, why, Optional.of(details(cost, exceeded))),
                            Optional.of(rule(exceeded.budget())));
        }
        if (answer instanceof ChargeResult.ExecutionNotOwned) {
            return new BudgetDecision.ChargeAbandoned();
        }
        context.metricsListener().observer().onCallCharged(call.tool(), cost);
        return new BudgetDecision.ChargeAccepted(true);
    }

    static String rule(Budget budget) {
        return "budget/" + budget.name();
    }

    private static String explainExceeded(PendingCall call, Cost cost, ChargeResult.BudgetExceeded exceeded) {
        Budget budget = exceeded.budget();
        String whose = switch (budget.scope()) {
            case EXECUTION -> "this execution";
            case KEY -> "this key";
            case TENANT -> "this tenant";
        };
        return "'" + call.tool() + "' costs " + cost + ", but the budget '" + budget.name() + "' of " + whose + " ("
                + budget.maxCost()
                + budget.period()
                        .map(per -> " a " + per.name().toLowerCase(Locale.ROOT))
                        .orElse("")
                + ") has " + exceeded.remaining() + " left; "
                + exceeded.renewsAt()
                        .map(at -> "it renews at " + at + ", or an administrator raises it in the policy")
                        .orElseGet(() -> budget.name().equals(Budget.SUBMISSION_BUDGET_NAME)
                                ? "the submitter may ask for more with limits.cost"
                                : "an administrator may raise it in the policy");
    }

    private static Json details(Cost cost, ChargeResult.BudgetExceeded exceeded) {
        Budget budget = exceeded.budget();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("budget", budget.name());
        json.put("scope", budget.scope().name().toLowerCase(Locale.ROOT));
        budget.period().ifPresent(period -> json.put("period", period.name().toLowerCase(Locale.ROOT)));
        json.put("maxCost", budget.maxCost().amount());
        json.put("remaining", exceeded.remaining().amount());
        json.put("cost", cost.amount());
        exceeded.renewsAt().map(Instant::toString).ifPresent(at -> json.put("renewsAt", at));
        return new Json(json.toString());
    }

    /**
     * Returns whether a call with this reply never reached its tool and so costs nothing. A call with more than one
     * attempt may have reached it earlier.
     */
    static boolean isFree(ToolReply reply) {
        return reply.attempts() <= 1
                && reply.result() instanceof ToolResult.ToolFailure failure
                && ToolErrorCode.NOT_EXECUTED.contains(failure.error().code());
    }

    /**
     * Refunds a call that did not reach its tool, even if its execution has ended meanwhile. Logs a failure: the reply
     * to the call must not depend on its refund.
     */
    void refund(PendingCall call) {
        AtomicInteger tries = new AtomicInteger();
        try {
            Optional<Boolean> answered = StoreRetry.callDespiteFaults(
                    () -> {
                        context.costStore().refund(claim.fence(), call.ordinal());
                        return true;
                    },
                    () -> tries.incrementAndGet() > MAX_REFUND_TRIES);
            if (answered.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "call {0} of {1} could not be refunded: the database is unavailable",
                        call.ordinal(),
                        claim.fence());
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "call " + call.ordinal() + " of " + claim.fence() + " could not be refunded", e);
        }
    }
}
