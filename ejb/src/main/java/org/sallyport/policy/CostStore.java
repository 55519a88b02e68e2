package org.sallyport.policy;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Cost;
import org.sallyport.execution.FencingToken;

/**
 * Stores the cost of calls and computes the remaining budgets. Every method is one transaction and is correct under
 * concurrent charges by several nodes. Days and months are those of the store's clock, in UTC. All methods throw
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface CostStore {
    /** Stores no costs. */
    CostStore NO_OP = new CostStore() {
        @Override
        public ChargeResult charge(CallCharge charge, List<Budget> budgets) {
            return new ChargeResult.CallCharged();
        }

        @Override
        public void refund(FencingToken fence, long call) {
            // No refund is necessary, because no charge was stored.
        }

        @Override
        public List<CostReportLine> report(
                Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit) {
            return List.of();
        }
    };

    /** Result of a charge. */
    sealed interface ChargeResult {
        /** The charge is stored, now or by an earlier attempt of the same execution. */
        record CallCharged() implements ChargeResult {}

        /**
         * The remaining budget is too small; no charge is stored.
         *
         * @param remaining remaining cost of the budget
         * @param renewsAt when the budget renews, if ever
         */
        record BudgetExceeded(Budget budget, Cost remaining, Optional<Instant> renewsAt) implements ChargeResult {}

        /** Another node owns the execution, or it has ended; no charge is stored. */
        record ExecutionNotOwned() implements ChargeResult {}
    }

    /**
     * Stores a charge if all {@code budgets} allow it. A call is charged once, even if another attempt repeats it: a
     * stored charge stays, even if the cost of the call has changed since.
     */
    ChargeResult charge(CallCharge charge, List<Budget> budgets);

    /**
     * Removes the charge of a call that never reached its tool. Applies only if this attempt was the last to charge it.
     */
    void refund(FencingToken fence, long call);

    /**
     * Reports the cost of calls since the start of a day, most expensive first; days in chronological order. Returns at
     * most {@code limit} lines.
     *
     * @param tenant tenant of the report; empty for all tenants
     */
    List<CostReportLine> report(Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit);
}
