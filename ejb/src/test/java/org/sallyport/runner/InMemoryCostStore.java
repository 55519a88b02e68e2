package org.sallyport.runner;

import java.time.Instant;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.policy.Budget;
import org.sallyport.policy.CallCharge;
import org.sallyport.policy.CostReportLine;
import org.sallyport.policy.CostStore;
import org.sallyport.tool.CallId;

/**
 * Costs in memory, fenced by an in-memory execution store. The period of a budget is ignored: every budget
 * covers all charges ever made.
 */
final class InMemoryCostStore implements CostStore {
    private final InMemoryExecutionStore store;
    private final Map<CallId, CallCharge> charged = new LinkedHashMap<>();

    InMemoryCostStore(InMemoryExecutionStore store) {
        this.store = store;
    }

    private static CallId id(FencingToken fence, long call) {
        return new CallId(fence.id().toString(), call);
    }

    @Override
    public synchronized ChargeResult charge(CallCharge charge, List<Budget> budgets) {
        InMemoryExecutionStore.StoredExecution row = store.row(charge.fence().id());
        if (row.attempt != charge.fence().attempt() || row.state != ExecutionState.RUNNING) {
            return new ChargeResult.ExecutionNotOwned();
        }
        CallId id = id(charge.fence(), charge.call());
        if (!charged.containsKey(id)) {
            for (Budget budget : budgets) {
                if (total().plus(charge.cost()).compareTo(budget.maxCost()) > 0) {
                    return new ChargeResult.BudgetExceeded(
                            budget,
                            budget.maxCost().minus(total()),
                            budget.period().map(any -> Instant.EPOCH));
                }
            }
        }
        charged.put(id, charge);
        return new ChargeResult.CallCharged();
    }

    @Override
    public synchronized void refund(FencingToken fence, long call) {
        charged.computeIfPresent(id(fence, call), (id, charge) -> charge.fence().equals(fence) ? null : charge);
    }

    synchronized Cost total() {
        return charged.values().stream().map(CallCharge::cost).reduce(Cost.ZERO, Cost::plus);
    }

    @Override
    public List<CostReportLine> report(
            Optional<String> tenant, LocalDate since, CostReportLine.CostGrouping by, int limit) {
        throw new UnsupportedOperationException();
    }
}
