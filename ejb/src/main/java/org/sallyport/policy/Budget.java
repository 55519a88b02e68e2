package org.sallyport.policy;

import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;

/**
 * A maximum total cost of calls.
 *
 * @param name name of the budget in refusals
 * @param scope scope of the counted calls
 * @param period period of the budget; empty for the duration of one execution
 * @param maxCost maximum total cost
 * @param keyIds ids of the keys that the budget applies to; empty for all
 * @param asksWhenExceeded whether a call beyond the budget requires an approval instead of being refused
 */
public record Budget(
        String name,
        BudgetScope scope,
        Optional<BudgetPeriod> period,
        Cost maxCost,
        Set<String> keyIds,
        boolean asksWhenExceeded) {
    /** Name of the budget that a submission sets for itself. */
    public static final String SUBMISSION_BUDGET_NAME = "limits.cost";

    public Budget {
        keyIds = Set.copyOf(keyIds);
    }

    /** Scope of the calls that count together. */
    public enum BudgetScope {
        /** One root execution and all executions nested in it. */
        EXECUTION,
        /** All executions that one key or one token subject submitted. */
        KEY,
        TENANT
    }

    /** A period by the database clock, in UTC. */
    public enum BudgetPeriod {
        DAY,
        MONTH
    }

    /** Creates the budget that a submission sets for itself. */
    public static Budget forSubmission(Cost maxCost) {
        return new Budget(SUBMISSION_BUDGET_NAME, BudgetScope.EXECUTION, Optional.empty(), maxCost, Set.of(), false);
    }
}
