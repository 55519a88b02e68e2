package org.sallyport.policy;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Cost;
import org.sallyport.execution.FencingToken;

/**
 * What calls cost, and how much of the budgets is left. Every method is one transaction, and right however many nodes charge at
 * the same time. Days and months are those of the store's clock, in UTC. All methods throw {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface CostStore {
    /** Where nobody counts. */
    CostStore NO_OP = new CostStore() {
        @Override
        public ChargeResult charge(CallCharge charge, List<Budget> budgets) {
            return new ChargeResult.CallCharged();
        }

        @Override
        public void refund(FencingToken fence, long call) {
            // It was not taken down.
        }

        @Override
        public List<CostReportLine> report(
                Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit) {
            return List.of();
        }
    };

    /** What became of a charge. */
    sealed interface ChargeResult {
        /** It is taken down, now or by an earlier run of the same execution. */
        record CallCharged() implements ChargeResult {}

        /**
         * A budget does not have so much; nothing is taken down.
         *
         * @param remaining what it has
         * @param renewsAt when it has all again, if it ever has
         */
        record BudgetExceeded(Budget budget, Cost remaining, Optional<Instant> renewsAt) implements ChargeResult {}

        /** Somebody else runs the execution, or it has ended; nothing is taken down. */
        record ExecutionNotOwned() implements ChargeResult {}
    }

    /**
     * Takes a charge down if all {@code budgets} have so much. Once for each call, whoever repeats it: what was taken down
     * stays, whatever the call would cost by now.
     */
    ChargeResult charge(CallCharge charge, List<Budget> budgets);

    /** Takes back what a call was charged that this run was the last to make: it has not reached its tool. */
    void refund(FencingToken fence, long call);

    /**
     * What calls cost since the beginning of a day; the dearest first, days in their order. At most so many lines.
     *
     * @param tenant whose; empty for those of all
     */
    List<CostReportLine> report(Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit);
}
