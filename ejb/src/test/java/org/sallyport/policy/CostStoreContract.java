package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.policy.CostStore.ChargeResult;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Contract of {@link CostStore}, for every implementation. */
public abstract class CostStoreContract {
    private static final String WILD = "k\u0000 \uD800 '; drop table cost_day; --";

    protected abstract CostStore costStore();

    protected abstract ExecutionStore store();

    protected abstract NestedExecutionStore nested();

    protected abstract Journal journal();

    private FencingToken running(NewExecutionBuilder execution) {
        NewExecution newExecution = execution.build();
        store().insert(newExecution);
        return store().claim(newExecution.id(), "n").orElseThrow().fence();
    }

    private static CallCharge newCharge(FencingToken fence, long call, String cost) {
        return new CallCharge(fence, call, ToolName.parse("ai.ask"), Cost.of(cost));
    }

    private ChargeResult charge(FencingToken fence, long call, String cost, Budget... budgets) {
        return costStore().charge(newCharge(fence, call, cost), List.of(budgets));
    }

    private static Budget budget(Budget.BudgetScope of, Budget.BudgetPeriod per, String maxCost, String... keys) {
        return new Budget("b", of, Optional.of(per), Cost.of(maxCost), Set.of(keys), false);
    }

    private Optional<Cost> cost(FencingToken fence) {
        return cost("tenant-a", fence.id());
    }

    private Optional<Cost> cost(String tenant, ExecutionId id) {
        return store().find(tenant, id).orElseThrow().cost();
    }

    private static LocalDate today() {
        return LocalDate.now(ZoneOffset.UTC).minusDays(1);
    }

    private List<CostReportLine> report(CostReportLine.CostGrouping by) {
        return costStore().report(Optional.of("tenant-a"), today(), by, 100);
    }

    @Test
    void chargesAppearOnTheExecutionAndInReports() {
        FencingToken one = running(anExecution().submitter(WILD));
        assertThat(cost(one)).isEmpty();

        assertThat(charge(one, 1, "0.25")).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(one, 2, "1.000001")).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(running(anExecution()), 1, "9")).isInstanceOf(ChargeResult.CallCharged.class);

        assertThat(cost(one)).contains(Cost.of("1.250001"));
        assertThat(report(CostReportLine.CostGrouping.TOOL))
                .containsExactly(new CostReportLine("ai.ask", Cost.of("10.250001"), 3));
        assertThat(report(CostReportLine.CostGrouping.TENANT))
                .containsExactly(new CostReportLine("tenant-a", Cost.of("10.250001"), 3));
        assertThat(report(CostReportLine.CostGrouping.KEY))
                .containsExactly(
                        new CostReportLine("key-1", Cost.of("9"), 1), new CostReportLine(WILD, Cost.of("1.250001"), 2));
        assertThat(report(CostReportLine.CostGrouping.DAY)).hasSize(1);
        assertThat(costStore()
                        .report(
                                Optional.of("tenant-a"),
                                LocalDate.now(ZoneOffset.UTC).plusDays(2),
                                CostReportLine.CostGrouping.DAY,
                                9))
                .isEmpty();
    }

    @Test
    void callIsChargedOnceAcrossRepetitions() {
        FencingToken first = running(anExecution());
        Budget tight = budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.DAY, "3");
        assertThat(charge(first, 1, "2", tight)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(first, 1, "2", tight)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(store().requeue(first)).isTrue();
        FencingToken second = store().claim(first.id(), "n").orElseThrow().fence();

        assertThat(charge(first, 2, "1", tight))
                .as("of a run that is over")
                .isInstanceOf(ChargeResult.ExecutionNotOwned.class);
        assertThat(charge(second, 1, "2", tight)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(cost(first)).contains(Cost.of("2"));
        assertThat(charge(second, 2, "1", tight)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(report(CostReportLine.CostGrouping.TOOL))
                .containsExactly(new CostReportLine("ai.ask", Cost.of("3"), 2));
    }

    @Test
    void onlyTheLastAttemptRefundsItsCharge() {
        FencingToken first = running(anExecution());
        charge(first, 1, "2");
        charge(first, 2, "5");
        store().requeue(first);
        FencingToken second = store().claim(first.id(), "n").orElseThrow().fence();
        charge(second, 1, "2");

        costStore().refund(first, 1);
        assertThat(cost(first)).contains(Cost.of("7"));
        costStore().refund(first, 2);
        costStore().refund(second, 1);
        costStore().refund(second, 1);

        assertThat(cost(first)).contains(Cost.ZERO);
        assertThat(report(CostReportLine.CostGrouping.TOOL)).isEmpty();
        assertThat(charge(second, 1, "3", budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.MONTH, "3")))
                .as("charged again, and all of the budget is there")
                .isInstanceOf(ChargeResult.CallCharged.class);
    }

    @Test
    void exceededBudgetReportsItsRemainderAndRenewal() {
        FencingToken run = running(anExecution());
        for (Budget.BudgetScope of : List.of(Budget.BudgetScope.TENANT, Budget.BudgetScope.KEY)) {
            for (Budget.BudgetPeriod per : Budget.BudgetPeriod.values()) {
                charge(run, 1, "1");
                Budget budget = budget(of, per, "2.5");
                assertThat(charge(run, 2, "1.6", budget))
                        .isInstanceOfSatisfying(ChargeResult.BudgetExceeded.class, full -> {
                            assertThat(full.budget()).isEqualTo(budget);
                            assertThat(full.remaining()).isEqualTo(Cost.of("1.5"));
                            assertThat(full.renewsAt().orElseThrow())
                                    .isAfter(Instant.now().minusSeconds(5))
                                    .isBefore(Instant.now().plus(Duration.ofDays(32)));
                        });
                assertThat(cost(run)).contains(Cost.of("1"));
            }
        }
        assertThat(charge(run, 3, "1.5", budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.DAY, "2.5")))
                .isInstanceOf(ChargeResult.CallCharged.class);
    }

    @Test
    void tenantsAndKeysHaveSeparateBudgets() {
        Budget tenant = budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.DAY, "3");
        Budget key = budget(Budget.BudgetScope.KEY, Budget.BudgetPeriod.DAY, "2");
        FencingToken one = running(anExecution().submitter("key-1"));
        FencingToken two = running(anExecution().submitter("key-2"));
        FencingToken other = running(anExecution().tenant("tenant-b").submitter("key-1"));

        assertThat(charge(one, 1, "2", tenant, key)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(one, 2, "1", tenant, key)).isInstanceOf(ChargeResult.BudgetExceeded.class);
        assertThat(charge(two, 1, "1", tenant, key)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(two, 2, "1", tenant, key)).isInstanceOf(ChargeResult.BudgetExceeded.class);
        assertThat(charge(other, 1, "2", tenant, key)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(two, 2, "1", budget(Budget.BudgetScope.KEY, Budget.BudgetPeriod.DAY, "1", "key-1")))
                .as("a budget of another key")
                .isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(costStore().report(Optional.empty(), today(), CostReportLine.CostGrouping.TENANT, 10))
                .containsExactly(
                        new CostReportLine("tenant-a", Cost.of("4"), 3),
                        new CostReportLine("tenant-b", Cost.of("2"), 1));
    }

    @Test
    void nestedExecutionsCountAgainstTheBudgetOfTheirParent() {
        Budget own = Budget.forSubmission(Cost.of("3"));
        FencingToken parent = running(anExecution());
        ExecutionId id = anExecution().build().id();
        nested().insertNested(anExecution().id(id).build(), nested().parentFor(parent.id(), 1), 10);
        FencingToken child = store().claim(id, "n").orElseThrow().fence();
        ExecutionId grandchild = anExecution().build().id();
        nested().insertNested(anExecution().id(grandchild).build(), nested().parentFor(id, 1), 10);
        FencingToken lowest = store().claim(grandchild, "n").orElseThrow().fence();

        assertThat(charge(parent, 2, "1", own)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(lowest, 1, "1.5", own)).isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(charge(child, 2, "1", own)).isInstanceOfSatisfying(ChargeResult.BudgetExceeded.class, full -> {
            assertThat(full.remaining()).isEqualTo(Cost.of("0.5"));
            assertThat(full.renewsAt()).isEmpty();
        });
        assertThat(cost(parent)).contains(Cost.of("2.5"));
        assertThat(cost(child)).contains(Cost.of("1.5"));
        assertThat(cost(lowest)).contains(Cost.of("1.5"));
        costStore().refund(lowest, 1);
        assertThat(cost(parent)).contains(Cost.of("1"));
    }

    @Test
    void concurrentChargesNeverExceedTheBudget() throws Exception {
        Budget tenant = budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.MONTH, "10");
        List<FencingToken> runs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            runs.add(running(anExecution().submitter("key-" + i % 3)));
        }
        List<Integer> charged = ConcurrencyTestUtil.runConcurrently(8, racer -> {
            int mine = 0;
            for (int call = 1; call <= 4; call++) {
                mine += charge(runs.get(racer), call, "0.5", tenant) instanceof ChargeResult.CallCharged ? 1 : 0;
            }
            return mine;
        });

        assertThat(charged.stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
        assertThat(report(CostReportLine.CostGrouping.TENANT))
                .containsExactly(new CostReportLine("tenant-a", Cost.of("10"), 20));
        assertThat(runs.stream().flatMap(run -> cost(run).stream()).reduce(Cost.ZERO, Cost::plus))
                .isEqualTo(Cost.of("10"));
    }

    @Test
    void concurrentRefundIsAppliedOnce() throws Exception {
        List<FencingToken> runs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            runs.add(running(anExecution()));
        }
        ConcurrencyTestUtil.runConcurrently(8, racer -> {
            for (int call = 1; call <= 6; call++) {
                assertThat(charge(runs.get(racer), call, "1")).isInstanceOf(ChargeResult.CallCharged.class);
                if (call % 2 == 0) {
                    costStore().refund(runs.get(racer), call);
                    costStore().refund(runs.get(racer), call);
                }
            }
            return 0;
        });
        assertThat(report(CostReportLine.CostGrouping.TENANT))
                .containsExactly(new CostReportLine("tenant-a", Cost.of("24"), 24));
        assertThat(runs).allSatisfy(run -> assertThat(cost(run)).contains(Cost.of("3")));
    }

    @Test
    void totalNeverFallsBelowZero() {
        FencingToken run = running(anExecution());
        for (int call = 1; call <= 6; call++) {
            costStore().charge(new CallCharge(run, call, ToolName.parse("ai.ask"), Cost.MAX_VALUE), List.of());
        }
        for (int call = 1; call <= 6; call++) {
            costStore().refund(run, call);
        }
        assertThat(cost(run)).contains(Cost.ZERO);
        assertThat(charge(run, 7, "1", budget(Budget.BudgetScope.TENANT, Budget.BudgetPeriod.MONTH, "2")))
                .isInstanceOf(ChargeResult.CallCharged.class);
        assertThat(cost(run)).contains(Cost.of("1"));
    }

    @Test
    void endedExecutionCannotBeCharged() {
        FencingToken run = running(anExecution());
        journal().finish(run, new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        assertThat(charge(run, 1, "1")).isInstanceOf(ChargeResult.ExecutionNotOwned.class);
        assertThat(report(CostReportLine.CostGrouping.TOOL)).isEmpty();
    }

    @Test
    void costLimitIsStoredWithTheExecution() {
        NewExecution newExecution = anExecution().cost(Cost.of("0.000001")).build();
        store().insert(newExecution);
        assertThat(store().find("tenant-a", newExecution.id())
                        .orElseThrow()
                        .limits()
                        .cost())
                .contains(new Cost(1));
        assertThat(store().claim(newExecution.id(), "n").orElseThrow().limits()).isEqualTo(newExecution.limits());
    }
}
