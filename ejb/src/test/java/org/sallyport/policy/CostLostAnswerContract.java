package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.policy.CostStore.ChargeResult;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;
import org.sallyport.tool.ToolName;

/**
 * Contract of {@link CostStore} for commits that the store does not answer: each call is charged and refunded once,
 * whether the first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty
 * store.
 */
public abstract class CostLostAnswerContract {
    private static final Budget BUDGET = new Budget(
            "b", Budget.BudgetScope.TENANT, Optional.of(Budget.BudgetPeriod.DAY), Cost.of("3"), Set.of(), false);

    protected abstract CostStore costStore();

    protected abstract ExecutionStore store();

    protected abstract CommitFaults faults();

    private FencingToken running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private static CallCharge charge(FencingToken fence) {
        return new CallCharge(fence, 1, ToolName.parse("ai.ask"), Cost.of("2"));
    }

    private Optional<Cost> cost(FencingToken fence) {
        return store().find("tenant-a", fence.id()).orElseThrow().cost();
    }

    @ParameterizedTest
    @EnumSource
    void callIsChargedOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();

        ChargeResult repeated =
                faults().repeatAfter(commitFault, () -> costStore().charge(charge(fence), List.of(BUDGET)));

        assertThat(repeated).isEqualTo(new ChargeResult.CallCharged());
        assertThat(cost(fence)).contains(Cost.of("2"));
    }

    @ParameterizedTest
    @EnumSource
    void callIsRefundedOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = running();
        costStore().charge(charge(fence), List.of(BUDGET));
        costStore().charge(new CallCharge(fence, 2, ToolName.parse("ai.ask"), Cost.of("1")), List.of(BUDGET));

        faults().repeatAfter(commitFault, () -> {
            costStore().refund(fence, 1);
            return fence;
        });

        assertThat(cost(fence)).contains(Cost.of("1"));
        assertThat(costStore().charge(charge(fence), List.of(BUDGET))).isEqualTo(new ChargeResult.CallCharged());
    }
}
