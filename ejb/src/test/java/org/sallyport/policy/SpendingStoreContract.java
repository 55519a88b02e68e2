package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.AnExecution;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.policy.SpendingStore.Answer;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What every store of costs must do. */
public abstract class SpendingStoreContract {
    private static final String WILD = "k\u0000 \uD800 '; drop table cost_day; --";

    protected abstract SpendingStore spending();

    protected abstract ExecutionStore store();

    protected abstract NestedRunStore nested();

    protected abstract Journal journal();

    private Fence running(AnExecution execution) {
        NewExecution made = execution.build();
        store().accept(made);
        return store().claim(made.id(), "n").orElseThrow().fence();
    }

    private static Charge made(Fence fence, long call, String cost) {
        return new Charge(fence, call, ToolName.parse("ai.ask"), Cost.of(cost));
    }

    private Answer charge(Fence fence, long call, String cost, Budget... budgets) {
        return spending().charge(made(fence, call, cost), List.of(budgets));
    }

    private static Budget budget(Budget.Of of, Budget.Period per, String most, String... keys) {
        return new Budget("b", of, Optional.of(per), Cost.of(most), Set.of(keys), false);
    }

    private Optional<Cost> cost(Fence fence) {
        return cost("tenant-a", fence.id());
    }

    private Optional<Cost> cost(String tenant, ExecutionId id) {
        return store().find(tenant, id).orElseThrow().cost();
    }

    private static LocalDate today() {
        return LocalDate.now(ZoneOffset.UTC).minusDays(1);
    }

    private List<Spent> report(Spent.By by) {
        return spending().report(Optional.of("tenant-a"), today(), by, 100);
    }

    @Test
    void whatIsChargedIsSeenWithTheExecutionAndInReports() {
        Fence one = running(anExecution().submitter(WILD));
        assertThat(cost(one)).isEmpty();

        assertThat(charge(one, 1, "0.25")).isInstanceOf(Answer.Charged.class);
        assertThat(charge(one, 2, "1.000001")).isInstanceOf(Answer.Charged.class);
        assertThat(charge(running(anExecution()), 1, "9")).isInstanceOf(Answer.Charged.class);

        assertThat(cost(one)).contains(Cost.of("1.250001"));
        assertThat(report(Spent.By.TOOL)).containsExactly(new Spent("ai.ask", Cost.of("10.250001"), 3));
        assertThat(report(Spent.By.TENANT)).containsExactly(new Spent("tenant-a", Cost.of("10.250001"), 3));
        assertThat(report(Spent.By.KEY))
                .containsExactly(new Spent("key-1", Cost.of("9"), 1), new Spent(WILD, Cost.of("1.250001"), 2));
        assertThat(report(Spent.By.DAY)).hasSize(1);
        assertThat(spending()
                        .report(
                                Optional.of("tenant-a"),
                                LocalDate.now(ZoneOffset.UTC).plusDays(2),
                                Spent.By.DAY,
                                9))
                .isEmpty();
    }

    @Test
    void aCallIsChargedOnceWhoeverRepeatsIt() {
        Fence first = running(anExecution());
        Budget tight = budget(Budget.Of.TENANT, Budget.Period.DAY, "3");
        assertThat(charge(first, 1, "2", tight)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(first, 1, "2", tight)).isInstanceOf(Answer.Charged.class);
        assertThat(store().requeue(first)).isTrue();
        Fence second = store().claim(first.id(), "n").orElseThrow().fence();

        assertThat(charge(first, 2, "1", tight)).as("of a run that is over").isInstanceOf(Answer.NotHeld.class);
        assertThat(charge(second, 1, "2", tight)).isInstanceOf(Answer.Charged.class);
        assertThat(cost(first)).contains(Cost.of("2"));
        assertThat(charge(second, 2, "1", tight)).isInstanceOf(Answer.Charged.class);
        assertThat(report(Spent.By.TOOL)).containsExactly(new Spent("ai.ask", Cost.of("3"), 2));
    }

    @Test
    void onlyTheRunThatMadeItLastTakesAChargeBack() {
        Fence first = running(anExecution());
        charge(first, 1, "2");
        charge(first, 2, "5");
        store().requeue(first);
        Fence second = store().claim(first.id(), "n").orElseThrow().fence();
        charge(second, 1, "2");

        spending().refund(first, 1);
        assertThat(cost(first)).contains(Cost.of("7"));
        spending().refund(first, 2);
        spending().refund(second, 1);
        spending().refund(second, 1);

        assertThat(cost(first)).contains(Cost.ZERO);
        assertThat(report(Spent.By.TOOL)).isEmpty();
        assertThat(charge(second, 1, "3", budget(Budget.Of.TENANT, Budget.Period.MONTH, "3")))
                .as("charged again, and all of the budget is there")
                .isInstanceOf(Answer.Charged.class);
    }

    @Test
    void aBudgetThatHasNotSoMuchSaysHowMuchItHasAndUntilWhen() {
        Fence run = running(anExecution());
        for (Budget.Of of : List.of(Budget.Of.TENANT, Budget.Of.KEY)) {
            for (Budget.Period per : Budget.Period.values()) {
                charge(run, 1, "1");
                Budget budget = budget(of, per, "2.5");
                assertThat(charge(run, 2, "1.6", budget)).isInstanceOfSatisfying(Answer.Exceeded.class, full -> {
                    assertThat(full.budget()).isEqualTo(budget);
                    assertThat(full.left()).isEqualTo(Cost.of("1.5"));
                    assertThat(full.renewsAt().orElseThrow())
                            .isAfter(Instant.now().minusSeconds(5))
                            .isBefore(Instant.now().plus(Duration.ofDays(32)));
                });
                assertThat(cost(run)).contains(Cost.of("1"));
            }
        }
        assertThat(charge(run, 3, "1.5", budget(Budget.Of.TENANT, Budget.Period.DAY, "2.5")))
                .isInstanceOf(Answer.Charged.class);
    }

    @Test
    void tenantsAndKeysHaveBudgetsOfTheirOwn() {
        Budget tenant = budget(Budget.Of.TENANT, Budget.Period.DAY, "3");
        Budget key = budget(Budget.Of.KEY, Budget.Period.DAY, "2");
        Fence one = running(anExecution().submitter("key-1"));
        Fence two = running(anExecution().submitter("key-2"));
        Fence other = running(anExecution().tenant("tenant-b").submitter("key-1"));

        assertThat(charge(one, 1, "2", tenant, key)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(one, 2, "1", tenant, key)).isInstanceOf(Answer.Exceeded.class);
        assertThat(charge(two, 1, "1", tenant, key)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(two, 2, "1", tenant, key)).isInstanceOf(Answer.Exceeded.class);
        assertThat(charge(other, 1, "2", tenant, key)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(two, 2, "1", budget(Budget.Of.KEY, Budget.Period.DAY, "1", "key-1")))
                .as("a budget of another key")
                .isInstanceOf(Answer.Charged.class);
        assertThat(spending().report(Optional.empty(), today(), Spent.By.TENANT, 10))
                .containsExactly(new Spent("tenant-a", Cost.of("4"), 3), new Spent("tenant-b", Cost.of("2"), 1));
    }

    @Test
    void whatAnExecutionBeginsCountsAgainstItsOwnBudget() {
        Budget own = Budget.ofSubmission(Cost.of("3"));
        Fence parent = running(anExecution());
        ExecutionId id = anExecution().build().id();
        nested().nest(anExecution().id(id).build(), nested().below(parent.id(), 1), 10);
        Fence child = store().claim(id, "n").orElseThrow().fence();
        ExecutionId grandchild = anExecution().build().id();
        nested().nest(anExecution().id(grandchild).build(), nested().below(id, 1), 10);
        Fence lowest = store().claim(grandchild, "n").orElseThrow().fence();

        assertThat(charge(parent, 2, "1", own)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(lowest, 1, "1.5", own)).isInstanceOf(Answer.Charged.class);
        assertThat(charge(child, 2, "1", own)).isInstanceOfSatisfying(Answer.Exceeded.class, full -> {
            assertThat(full.left()).isEqualTo(Cost.of("0.5"));
            assertThat(full.renewsAt()).isEmpty();
        });
        assertThat(cost(parent)).contains(Cost.of("2.5"));
        assertThat(cost(child)).contains(Cost.of("1.5"));
        assertThat(cost(lowest)).contains(Cost.of("1.5"));
        spending().refund(lowest, 1);
        assertThat(cost(parent)).contains(Cost.of("1"));
    }

    @Test
    void howeverManyChargeAtOnceNoBudgetGivesMoreThanItHas() throws Exception {
        Budget tenant = budget(Budget.Of.TENANT, Budget.Period.MONTH, "10");
        List<Fence> runs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            runs.add(running(anExecution().submitter("key-" + i % 3)));
        }
        List<Integer> charged = Together.run(8, racer -> {
            int mine = 0;
            for (int call = 1; call <= 4; call++) {
                mine += charge(runs.get(racer), call, "0.5", tenant) instanceof Answer.Charged ? 1 : 0;
            }
            return mine;
        });

        assertThat(charged.stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
        assertThat(report(Spent.By.TENANT)).containsExactly(new Spent("tenant-a", Cost.of("10"), 20));
        assertThat(runs.stream().flatMap(run -> cost(run).stream()).reduce(Cost.ZERO, Cost::plus))
                .isEqualTo(Cost.of("10"));
    }

    @Test
    void whatIsTakenBackWhileOthersChargeIsTakenBackOnce() throws Exception {
        List<Fence> runs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            runs.add(running(anExecution()));
        }
        Together.run(8, racer -> {
            for (int call = 1; call <= 6; call++) {
                assertThat(charge(runs.get(racer), call, "1")).isInstanceOf(Answer.Charged.class);
                if (call % 2 == 0) {
                    spending().refund(runs.get(racer), call);
                    spending().refund(runs.get(racer), call);
                }
            }
            return 0;
        });
        assertThat(report(Spent.By.TENANT)).containsExactly(new Spent("tenant-a", Cost.of("24"), 24));
        assertThat(runs).allSatisfy(run -> assertThat(cost(run)).contains(Cost.of("3")));
    }

    @Test
    void noTotalFallsBelowNothing() {
        Fence run = running(anExecution());
        for (int call = 1; call <= 6; call++) {
            spending().charge(new Charge(run, call, ToolName.parse("ai.ask"), Cost.MOST), List.of());
        }
        for (int call = 1; call <= 6; call++) {
            spending().refund(run, call);
        }
        assertThat(cost(run)).contains(Cost.ZERO);
        assertThat(charge(run, 7, "1", budget(Budget.Of.TENANT, Budget.Period.MONTH, "2")))
                .isInstanceOf(Answer.Charged.class);
        assertThat(cost(run)).contains(Cost.of("1"));
    }

    @Test
    void nothingIsChargedOfWhatHasEnded() {
        Fence run = running(anExecution());
        journal().finish(run, new Outcome.Completed(Json.NULL), Entries.NONE);
        assertThat(charge(run, 1, "1")).isInstanceOf(Answer.NotHeld.class);
        assertThat(report(Spent.By.TOOL)).isEmpty();
    }

    @Test
    void whatASubmissionMayCostIsKeptWithIt() {
        NewExecution made = anExecution().cost(Cost.of("0.000001")).build();
        store().accept(made);
        assertThat(store().find("tenant-a", made.id()).orElseThrow().limits().cost())
                .contains(new Cost(1));
        assertThat(store().claim(made.id(), "n").orElseThrow().limits()).isEqualTo(made.limits());
    }
}
