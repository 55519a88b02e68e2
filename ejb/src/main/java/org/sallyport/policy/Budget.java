package org.sallyport.policy;

import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;

/**
 * How much calls may cost together.
 *
 * @param name what refusals call it
 * @param scope whose calls
 * @param period for how long; empty for one execution
 * @param maxCost how much
 * @param keyIds ids of the keys that it is for; empty for each
 * @param asksWhenExceeded whether a call beyond it waits for a person's yes, rather than being refused
 */
public record Budget(
        String name,
        BudgetScope scope,
        Optional<BudgetPeriod> period,
        Cost maxCost,
        Set<String> keyIds,
        boolean asksWhenExceeded) {
    /** The budget that a submission sets itself. */
    public static final String SUBMISSION_BUDGET_NAME = "limits.cost";

    public Budget {
        keyIds = Set.copyOf(keyIds);
    }

    /** Whose calls are counted together. */
    public enum BudgetScope {
        /** Of one execution that nobody nested, with all that it nests. */
        EXECUTION,
        /** Of all executions that one key submitted, or one token's subject. */
        KEY,
        TENANT
    }

    /** By the database's clock, in UTC. */
    public enum BudgetPeriod {
        DAY,
        MONTH
    }

    /** What a submission may cost by its own word. */
    public static Budget forSubmission(Cost most) {
        return new Budget(SUBMISSION_BUDGET_NAME, BudgetScope.EXECUTION, Optional.empty(), most, Set.of(), false);
    }
}
