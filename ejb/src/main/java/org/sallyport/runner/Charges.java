package org.sallyport.runner;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Cost;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Charge;
import org.sallyport.policy.SpendingStore.Answer;
import org.sallyport.quota.CallQuota;
import org.sallyport.quota.Quota;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Counts one execution's calls, and what they cost: taken down before they leave, taken back when they did not reach their tools. Calls that cost
 * nothing ask nobody. Waits for the store.
 */
final class Charges {
    private static final Logger LOG = System.getLogger(Charges.class.getName());
    private static final int TRIES = 20;

    /** With these a call has ended before its tool; a backend that is not available may have had it. */
    static final Set<ToolErrorCode> NOT_MADE = EnumSet.of(
            ToolErrorCode.TOOL_NOT_FOUND,
            ToolErrorCode.NOT_GRANTED,
            ToolErrorCode.DENIED,
            ToolErrorCode.INVALID_ARGUMENTS,
            ToolErrorCode.BACKEND_STARTING,
            ToolErrorCode.BACKEND_BUSY,
            ToolErrorCode.TOOL_QUARANTINED,
            ToolErrorCode.EGRESS_DENIED,
            ToolErrorCode.CALL_LIMIT,
            ToolErrorCode.BUDGET_EXCEEDED,
            ToolErrorCode.QUOTA_EXCEEDED,
            ToolErrorCode.CAPABILITY_CYCLE);

    private final Claim claim;
    private final RunContext context;
    private final Departures.Book book;

    Charges(Claim claim, RunContext context, Departures.Book book) {
        this.claim = claim;
        this.context = context;
        this.book = book;
    }

    /** What became of a charge. */
    sealed interface Verdict {
        /** The call may leave; {@code charged} when it costs something. */
        record Paid(boolean charged) implements Verdict {}

        /** It may leave when a person says so. */
        record Ask(String rule, String reason) implements Verdict {}

        /** It may not leave; {@code rule} is the budget, if one decided. */
        record Refused(ToolError error, Optional<String> rule) implements Verdict {}

        /** Nothing may leave any more. */
        record Over() implements Verdict {}
    }

    /**
     * @param perhaps whether an earlier run may have sent it: then it has been counted
     * @param beyond whether a person has said yes to it beyond the budgets that ask: it was counted before that
     */
    Verdict charge(OutgoingCall call, CatalogTool tool, Json arguments, boolean perhaps, boolean beyond) {
        boolean counted = perhaps || beyond;
        while (book.isOpen(call.ordinal())) {
            try {
                if (!counted) {
                    Optional<Verdict> tooMany =
                            context.quotas().calls().take(claim.tenant()).map(Charges::tooMany);
                    if (tooMany.isPresent()) {
                        return tooMany.get();
                    }
                    counted = true;
                }
                Optional<Cost> cost = context.gate().cost(claim.tenant(), tool.spec(), arguments);
                if (cost.isEmpty()) {
                    return new Verdict.Refused(
                            new ToolError(
                                    ToolErrorCode.INVALID_ARGUMENTS,
                                    "nobody can tell what '" + call.tool() + "' costs with these arguments"),
                            Optional.empty());
                }
                return cost.get().isZero() ? new Verdict.Paid(false) : charge(call, tool, cost.get(), beyond);
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    return new Verdict.Over();
                }
            }
        }
        return new Verdict.Over();
    }

    private static Verdict tooMany(CallQuota.Refusal refusal) {
        ObjectNode details = JsonNodeFactory.instance.objectNode();
        details.put("quota", Quota.TOOL_CALLS.word());
        details.put("limit", refusal.most());
        details.put("renewsAt", refusal.renewsAt().toString());
        return new Verdict.Refused(
                new ToolError(
                        ToolErrorCode.QUOTA_EXCEEDED,
                        "this tenant has made all the tool calls of today that its quota 'toolCalls' allows, "
                                + refusal.most() + "; it renews at " + refusal.renewsAt()
                                + ", or whoever operates the installation raises it",
                        Optional.of(new Json(details.toString()))),
                Optional.of("quota/" + Quota.TOOL_CALLS.word()));
    }

    private Verdict charge(OutgoingCall call, CatalogTool tool, Cost cost, boolean beyond) {
        List<Budget> budgets = new ArrayList<>();
        claim.limits().cost().map(Budget::ofSubmission).ifPresent(budgets::add);
        context.gate().budgets(claim.tenant()).stream()
                .filter(budget -> !(beyond && budget.asks()))
                .forEach(budgets::add);
        Answer answer = context.spending()
                .charge(new Charge(claim.fence(), call.ordinal(), tool.spec().name(), cost), budgets);
        if (answer instanceof Answer.Exceeded exceeded) {
            String why = why(call, cost, exceeded);
            return exceeded.budget().asks()
                    ? new Verdict.Ask(rule(exceeded.budget()), why)
                    : new Verdict.Refused(
                            new ToolError(ToolErrorCode.BUDGET_EXCEEDED, why, Optional.of(details(cost, exceeded))),
                            Optional.of(rule(exceeded.budget())));
        }
        if (answer instanceof Answer.NotHeld) {
            return new Verdict.Over();
        }
        context.watch().listener().charged(call.tool(), cost);
        return new Verdict.Paid(true);
    }

    static String rule(Budget budget) {
        return "budget/" + budget.name();
    }

    private static String why(OutgoingCall call, Cost cost, Answer.Exceeded exceeded) {
        Budget budget = exceeded.budget();
        String whose = switch (budget.of()) {
            case EXECUTION -> "this execution";
            case KEY -> "this key";
            case TENANT -> "this tenant";
        };
        return "'" + call.tool() + "' costs " + cost + ", and of the budget '" + budget.name() + "' of " + whose + " ("
                + budget.most()
                + budget.per()
                        .map(per -> " a " + per.name().toLowerCase(Locale.ROOT))
                        .orElse("")
                + ") " + exceeded.left() + " is left; "
                + exceeded.renewsAt()
                        .map(at -> "it renews at " + at + ", or an administrator raises it in the policy")
                        .orElseGet(() -> budget.name().equals(Budget.OF_SUBMISSION)
                                ? "who submits may ask for more with limits.cost"
                                : "an administrator may raise it in the policy");
    }

    private static Json details(Cost cost, Answer.Exceeded exceeded) {
        Budget budget = exceeded.budget();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("budget", budget.name());
        json.put("of", budget.of().name().toLowerCase(Locale.ROOT));
        budget.per().ifPresent(per -> json.put("per", per.name().toLowerCase(Locale.ROOT)));
        json.put("most", budget.most().amount());
        json.put("left", exceeded.left().amount());
        json.put("cost", cost.amount());
        exceeded.renewsAt().map(Instant::toString).ifPresent(at -> json.put("renewsAt", at));
        return new Json(json.toString());
    }

    /** Whether a call that was answered so has not reached its tool, and costs nothing. What was sent before may have. */
    static boolean isFree(ToolReply reply) {
        return reply.attempts() <= 1
                && reply.result() instanceof ToolResult.Failure failure
                && NOT_MADE.contains(failure.error().code());
    }

    /** The call has not reached its tool. Also when its execution has ended meanwhile. */
    void refund(OutgoingCall call) {
        for (int i = 0; i < TRIES; i++) {
            try {
                context.spending().refund(claim.fence(), call.ordinal());
                return;
            } catch (StoreUnavailableException e) {
                if (!RunWriter.pause()) {
                    break;
                }
            }
        }
        LOG.log(Level.WARNING, "call {0} of {1} stays charged", call.ordinal(), claim.fence());
    }
}
