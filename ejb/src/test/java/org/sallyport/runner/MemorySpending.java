package org.sallyport.runner;

import java.time.Instant;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Charge;
import org.sallyport.policy.SpendingStore;
import org.sallyport.policy.Spent;
import org.sallyport.tool.CallId;

/** Costs in memory, under the fences of a store in memory; every budget is for all that was ever charged. */
final class MemorySpending implements SpendingStore {
    private final MemoryStore store;
    private final Map<CallId, Charge> charged = new LinkedHashMap<>();

    MemorySpending(MemoryStore store) {
        this.store = store;
    }

    private static CallId id(Fence fence, long call) {
        return new CallId(fence.id().toString(), call);
    }

    @Override
    public synchronized Answer charge(Charge charge, List<Budget> budgets) {
        MemoryStore.Row row = store.row(charge.fence().id());
        if (row.attempt != charge.fence().attempt() || row.state != ExecutionState.RUNNING) {
            return new Answer.NotHeld();
        }
        CallId id = id(charge.fence(), charge.call());
        if (!charged.containsKey(id)) {
            for (Budget budget : budgets) {
                if (total().plus(charge.cost()).compareTo(budget.most()) > 0) {
                    return new Answer.Exceeded(
                            budget, budget.most().minus(total()), budget.per().map(any -> Instant.EPOCH));
                }
            }
        }
        charged.put(id, charge);
        return new Answer.Charged();
    }

    @Override
    public synchronized void refund(Fence fence, long call) {
        charged.computeIfPresent(id(fence, call), (id, charge) -> charge.fence().equals(fence) ? null : charge);
    }

    synchronized Cost total() {
        return charged.values().stream().map(Charge::cost).reduce(Cost.ZERO, Cost::plus);
    }

    @Override
    public List<Spent> report(Optional<String> tenant, LocalDate since, Spent.By by, int limit) {
        throw new UnsupportedOperationException();
    }
}
