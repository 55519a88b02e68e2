package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Together;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Executions of one batch that share what they read, with the real sandbox. */
class SharedReadsRunTest {
    private static final Decision ALLOW = new Decision.Allow(Policies.DEFAULT_ALLOW);
    private static final String READ = "return (await b.read({ n: 1 })).echo.n";

    private volatile List<Budget> budgets = List.of();
    private volatile Policy policy = (tool, arguments, situation) -> ALLOW;
    private final ScriptRuns runs = new ScriptRuns(tenant -> new Policy() {
        @Override
        public Decision decide(ToolSpec tool, Json arguments, Situation situation) {
            return policy.decide(tool, arguments, situation);
        }

        @Override
        public Optional<Cost> cost(ToolSpec tool, Json arguments) {
            return Optional.of(Cost.of("1"));
        }

        @Override
        public List<Budget> budgets() {
            return budgets;
        }
    });

    @BeforeEach
    void share() {
        runs.share = true;
    }

    private ExecutionId run(String code) throws Exception {
        ExecutionId id = runs.accept(code, Optional.empty());
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof Outcome.Completed completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /** What the trace tells of calls: {@code "1 b.read"}, {@code "1 shared <from>"}, {@code "1 = 1"} after one attempt. */
    private List<String> trace(ExecutionId id) {
        List<String> trace = new ArrayList<>();
        for (TraceEvent event : runs.store.trace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                trace.add(started.call() + " " + started.tool());
            } else if (event instanceof TraceEvent.Judged judged) {
                trace.add(judged.call() + " " + judged.decision() + " " + judged.rule());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                trace.add(ended.call() + " = " + ended.attempts());
            }
        }
        return trace;
    }

    @Test
    void whatOneReadIsNotAskedForAgainAndTheTraceSaysWhoseAnswerItIs() throws Exception {
        ExecutionId first = run(READ);
        assertThat(runs.world.take()).containsExactly("1 read");
        ExecutionId second = run("await b.read({ n: 2 }); " + READ);
        assertThat(result(second)).isEqualTo("1");
        assertThat(runs.world.take()).containsExactly("1 read");
        assertThat(trace(first)).containsExactly("1 b.read", "1 = 1");
        assertThat(trace(second)).containsExactly("1 b.read", "1 = 1", "2 b.read", "2 shared " + first + "/1", "2 = 0");
        assertThat(runs.spending.total()).as("two calls were made").isEqualTo(Cost.of("2"));
    }

    @Test
    void whatMayHaveChangedIsReadAnew() throws Exception {
        run(READ);
        runs.world.take();
        run("await b.effect({}); " + READ);
        assertThat(runs.world.take()).containsExactly("1 effect", "2 read");
        // Also when the change was an earlier run's.
        ExecutionId id = runs.accept("await b.effect({}); " + READ, Optional.empty());
        runs.endure(id, List.of(4));
        assertThat(runs.world.take()).containsExactly("1 effect", "2 read");
    }

    @Test
    void whatMayChangeSomethingIsMadeByEach() throws Exception {
        for (int i = 0; i < 2; i++) {
            run("await b.effect({ n: 1 }); await b.again({ n: 1 })");
            assertThat(runs.world.take()).containsExactly("1 effect", "2 again");
        }
    }

    @Test
    void whoDoesNotAskForItReadsForItself() throws Exception {
        run(READ);
        runs.share = false;
        run(READ);
        assertThat(runs.world.take()).hasSize(2);
    }

    @Test
    void anotherBatchReadsForItself() throws Exception {
        run(READ);
        runs.store.batch = new BatchId(new UUID(0, 2));
        run(READ);
        assertThat(runs.world.take()).hasSize(2);
    }

    @Test
    void whatAScriptAsksAgainIsSent() throws Exception {
        run(READ);
        run("await b.read({ n: 1 }); await b.read({ n: 1 })");
        assertThat(runs.world.take()).containsExactly("1 read", "2 read");
    }

    /** Else one that polls, and is parked meanwhile, would hear what it heard itself. */
    @Test
    void whatAScriptAsksAgainIsSentThoughAnEarlierRunOfItAskedFirst() throws Exception {
        ScriptRuns parking = new ScriptRuns(tenant -> policy, Duration.ofMillis(50));
        parking.share = true;
        ExecutionId id = parking.accept(
                "await b.read({ n: 1, m: 3 }); await sleep('2s'); return (await b.read({ m: 3, n: 1 })).echo.n",
                Optional.empty());
        assertThat(parking.live(id)).isEqualTo(ExecutionState.WAITING);
        // Until its time has come it is parked again each time.
        do {
            parking.store.wake(1, Duration.ZERO);
        } while (parking.live(id) == ExecutionState.WAITING);
        assertThat(parking.store.row(id).state).isEqualTo(ExecutionState.COMPLETED);
        assertThat(parking.world.take()).containsExactly("1 read", "2 read");
    }

    @Test
    void whoMayNotCallHearsNothing() throws Exception {
        run(READ);
        String caught = "return await b.read({ n: 1 }).catch((e) => e.code)";
        runs.grants = List.of("b.again");
        assertThat(result(run(caught))).isEqualTo("\"not-granted\"");
        runs.grants = List.of("b.*");
        policy = (tool, arguments, situation) -> new Decision.Deny("closed", "closed");
        assertThat(result(run(caught))).isEqualTo("\"denied\"");
        policy = (tool, arguments, situation) -> new Decision.Mock("mocked", new Json("{\"echo\":{\"n\":5}}"));
        assertThat(result(run(READ))).isEqualTo("5");
        policy = (tool, arguments, situation) -> ALLOW;
        budgets = List.of(
                new Budget("team", Budget.Of.TENANT, Optional.of(Budget.Period.DAY), Cost.of("1"), Set.of(), false));
        assertThat(result(run(caught))).isEqualTo("\"budget-exceeded\"");
    }

    @Test
    void whatPeopleAreAskedAboutIsMade() throws Exception {
        run(READ);
        runs.world.take();
        policy = (tool, arguments, situation) ->
                new Decision.Ask("asks", new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, ""), false);
        ExecutionId asking = runs.accept(READ, Optional.empty());
        assertThat(runs.live(asking)).isEqualTo(ExecutionState.WAITING);
        runs.approvals.approveAll();
        assertThat(runs.live(asking)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(asking)).isEqualTo("1");
        assertThat(runs.world.take()).containsExactly("1 read");
    }

    @Test
    void ofThoseThatRunAtOnceOneAsksAndItsCancelIsNoHarmToTheOthers() throws Exception {
        runs.world.hold();
        Runner node = runs.node(8);
        List<ExecutionId> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(runs.accept(READ, Optional.empty()));
            node.run(all.get(i));
            int begun = i + 1;
            Together.await(
                    Duration.ofSeconds(60),
                    () -> all.stream()
                                    .filter(id -> !runs.store.trace(id, 0, 10).isEmpty())
                                    .count()
                            == begun);
        }
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() == 1);
        node.cancel(all.get(0));
        Together.await(Duration.ofSeconds(60), () -> runs.store.row(all.get(0)).state == ExecutionState.CANCELLED);
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() == 2);
        node.cancel(all.get(3));
        Together.await(Duration.ofSeconds(60), () -> runs.store.row(all.get(3)).state == ExecutionState.CANCELLED);
        runs.world.let();
        runs.world.let();
        Together.await(Duration.ofSeconds(60), () -> node.liveCount() == 0);
        assertThat(all.subList(1, 3)).allSatisfy(id -> assertThat(result(id)).isEqualTo("1"));
        assertThat(runs.world.take()).as("the next asked for the rest").containsExactly("1 read", "1 read");
        // Who waited pays nothing, and gets back what he paid.
        Together.await(Duration.ofSeconds(60), () -> runs.spending.total().equals(Cost.of("2")));
    }

    @Test
    void whoWaitsForTheAnswerOfAnotherCanBeParkedForIt() throws Exception {
        ScriptRuns parking = new ScriptRuns(tenant -> policy, Duration.ofMillis(50));
        parking.share = true;
        parking.world.hold();
        Runner node = parking.node(8);
        List<ExecutionId> both =
                List.of(parking.accept(READ, Optional.empty()), parking.accept(READ, Optional.empty()));
        both.forEach(node::run);
        Together.await(Duration.ofSeconds(60), () -> {
            node.look();
            return both.stream().allMatch(id -> parking.store.row(id).state == ExecutionState.WAITING);
        });
        assertThat(parking.world.heldBack()).isEqualTo(1);
        parking.world.let();
        Together.await(Duration.ofSeconds(60), () -> {
            node.look();
            return both.stream().allMatch(id -> parking.store.row(id).state == ExecutionState.COMPLETED);
        });
        assertThat(parking.world.take()).containsExactly("1 read");
    }

    @Test
    void afterAFailureEachAsksForItself() throws Exception {
        runs.world.away("b", ToolReply.local(ToolResult.failure(ToolErrorCode.BACKEND_BUSY, "too many")));
        assertThat(result(run("return await b.read({ n: 1 }).catch((e) => e.code)")))
                .isEqualTo("\"backend-busy\"");
        runs.world.back("b");
        assertThat(result(run(READ))).isEqualTo("1");
        assertThat(runs.world.take()).containsExactly("1 read");
    }

    @Test
    void aReRunRepeatsWhatWasGiven() throws Exception {
        run(READ);
        ExecutionId given = run(READ);
        runs.world.take();
        ExecutionId again = runs.accept(READ, Optional.of(new Rerun(given, Rerun.Mode.OFFLINE, 1, false)));
        assertThat(runs.live(again)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(again)).isEqualTo("1");
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void aRunAfterADeathHearsTheSameWhateverIsReadByThen() throws Exception {
        run(READ);
        runs.world.take();
        for (int death = 1; death < 8; death++) {
            ExecutionId id = runs.accept(
                    "const n = (await b.read({ n: 1 })).echo.n; await b.again({}); return n", Optional.empty());
            runs.endure(id, List.of(death));
            assertThat(result(id)).isEqualTo("1");
        }
        assertThat(runs.world.take()).doesNotContain("1 read");
    }
}
