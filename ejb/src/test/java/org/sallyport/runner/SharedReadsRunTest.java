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
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Executions of one batch that share their reads, with the real sandbox. */
class SharedReadsRunTest {
    private static final PolicyDecision ALLOW = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
    private static final String READ = "return (await b.read({ n: 1 })).echo.n";

    private volatile List<Budget> budgets = List.of();
    private volatile Policy policy = (tool, arguments, situation) -> ALLOW;
    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> new Policy() {
        @Override
        public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
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
        runs.sharesReads = true;
    }

    private ExecutionId run(String code) throws Exception {
        ExecutionId id = runs.submit(code, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /**
     * The calls in the trace: {@code "1 b.read"} for a start, {@code "1 shared <from>"} for a shared reply,
     * {@code "1 = 1"} for an end after one attempt.
     */
    private List<String> trace(ExecutionId id) {
        List<String> trace = new ArrayList<>();
        for (TraceEvent event : runs.store.readTrace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                trace.add(started.call() + " " + started.tool());
            } else if (event instanceof TraceEvent.PolicyDecided judged) {
                trace.add(judged.call() + " " + judged.decision() + " " + judged.rule());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                trace.add(ended.call() + " = " + ended.attempts());
            }
        }
        return trace;
    }

    @Test
    void sharedReadIsReusedAndTheTraceNamesItsSource() throws Exception {
        ExecutionId first = run(READ);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
        ExecutionId second = run("await b.read({ n: 2 }); " + READ);
        assertThat(result(second)).isEqualTo("1");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
        assertThat(trace(first)).containsExactly("1 b.read", "1 = 1");
        assertThat(trace(second)).containsExactly("1 b.read", "1 = 1", "2 b.read", "2 shared " + first + "/1", "2 = 0");
        assertThat(runs.spending.total()).as("two calls were made").isEqualTo(Cost.of("2"));
    }

    @Test
    void readIsRepeatedAfterAnEffect() throws Exception {
        run(READ);
        runs.toolBridge.takeCalls();
        run("await b.effect({}); " + READ);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "2 read");
        // The same holds if an earlier run of the execution made the change.
        ExecutionId id = runs.submit("await b.effect({}); " + READ, Optional.empty());
        runs.runThroughCrashes(id, List.of(4));
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "2 read");
    }

    @Test
    void effectsAreNeverShared() throws Exception {
        for (int i = 0; i < 2; i++) {
            run("await b.effect({ n: 1 }); await b.again({ n: 1 })");
            assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "2 again");
        }
    }

    @Test
    void executionWithoutSharedReadsMakesItsOwnRead() throws Exception {
        run(READ);
        runs.sharesReads = false;
        run(READ);
        assertThat(runs.toolBridge.takeCalls()).hasSize(2);
    }

    @Test
    void anotherBatchMakesItsOwnRead() throws Exception {
        run(READ);
        runs.store.batch = new BatchId(new UUID(0, 2));
        run(READ);
        assertThat(runs.toolBridge.takeCalls()).hasSize(2);
    }

    @Test
    void repeatedReadInOneScriptIsSentAgain() throws Exception {
        run(READ);
        run("await b.read({ n: 1 }); await b.read({ n: 1 })");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read", "2 read");
    }

    /** Otherwise a script that polls, and is parked in between, would receive its own earlier reply. */
    @Test
    void repeatedReadIsSentAgainAfterParking() throws Exception {
        ScriptRunFixture parking = new ScriptRunFixture(tenant -> policy, Duration.ofMillis(50));
        parking.sharesReads = true;
        ExecutionId id = parking.submit(
                "await b.read({ n: 1, m: 3 }); await sleep('2s'); return (await b.read({ m: 3, n: 1 })).echo.n",
                Optional.empty());
        assertThat(parking.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        // Each run parks the execution again until its sleep is over.
        do {
            parking.store.resumeDue(1, Duration.ZERO);
        } while (parking.runOnNewNode(id) == ExecutionState.WAITING);
        assertThat(parking.store.row(id).state).isEqualTo(ExecutionState.COMPLETED);
        assertThat(parking.toolBridge.takeCalls()).containsExactly("1 read", "2 read");
    }

    @Test
    void sharedReadNeedsItsOwnGrantPolicyAndBudget() throws Exception {
        run(READ);
        String caught = "return await b.read({ n: 1 }).catch((e) => e.code)";
        runs.grants = List.of("b.again");
        assertThat(result(run(caught))).isEqualTo("\"not-granted\"");
        runs.grants = List.of("b.*");
        policy = (tool, arguments, situation) -> new PolicyDecision.DenyDecision("closed", "closed");
        assertThat(result(run(caught))).isEqualTo("\"denied\"");
        policy = (tool, arguments, situation) ->
                new PolicyDecision.MockDecision("mocked", new Json("{\"echo\":{\"n\":5}}"));
        assertThat(result(run(READ))).isEqualTo("5");
        policy = (tool, arguments, situation) -> ALLOW;
        budgets = List.of(new Budget(
                "team",
                Budget.BudgetScope.TENANT,
                Optional.of(Budget.BudgetPeriod.DAY),
                Cost.of("1"),
                Set.of(),
                false));
        assertThat(result(run(caught))).isEqualTo("\"budget-exceeded\"");
    }

    @Test
    void approvedReadIsMadeInsteadOfShared() throws Exception {
        run(READ);
        runs.toolBridge.takeCalls();
        policy = (tool, arguments, situation) -> new PolicyDecision.AskDecision(
                "asks",
                new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, ""),
                false);
        ExecutionId asking = runs.submit(READ, Optional.empty());
        assertThat(runs.runOnNewNode(asking)).isEqualTo(ExecutionState.WAITING);
        runs.approvals.approveAll();
        assertThat(runs.runOnNewNode(asking)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(asking)).isEqualTo("1");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
    }

    @Test
    void oneOfConcurrentReadsIsSentAndItsCancelHarmsNoOther() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        List<ExecutionId> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(runs.submit(READ, Optional.empty()));
            node.run(all.get(i));
            int begun = i + 1;
            ConcurrencyTestUtil.awaitCondition(
                    Duration.ofSeconds(60),
                    () -> all.stream()
                                    .filter(id ->
                                            !runs.store.readTrace(id, 0, 10).isEmpty())
                                    .count()
                            == begun);
        }
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() == 1);
        node.cancel(all.get(0));
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60), () -> runs.store.row(all.get(0)).state == ExecutionState.CANCELLED);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() == 2);
        node.cancel(all.get(3));
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60), () -> runs.store.row(all.get(3)).state == ExecutionState.CANCELLED);
        runs.toolBridge.releaseReply();
        runs.toolBridge.releaseReply();
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> node.liveCount() == 0);
        assertThat(all.subList(1, 3)).allSatisfy(id -> assertThat(result(id)).isEqualTo("1"));
        assertThat(runs.toolBridge.takeCalls())
                .as("the next asked for the rest")
                .containsExactly("1 read", "1 read");
        // An execution that waited for the reply of another pays nothing: its charge is refunded.
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60), () -> runs.spending.total().equals(Cost.of("2")));
    }

    @Test
    void executionWaitingForASharedReadCanBeParked() throws Exception {
        ScriptRunFixture parking = new ScriptRunFixture(tenant -> policy, Duration.ofMillis(50));
        parking.sharesReads = true;
        parking.toolBridge.holdReplies();
        ExecutionRunner node = parking.newNode(8);
        List<ExecutionId> both =
                List.of(parking.submit(READ, Optional.empty()), parking.submit(READ, Optional.empty()));
        both.forEach(node::run);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            node.poll();
            return both.stream().allMatch(id -> parking.store.row(id).state == ExecutionState.WAITING);
        });
        assertThat(parking.toolBridge.heldReplies()).isEqualTo(1);
        parking.toolBridge.releaseReply();
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            node.poll();
            return both.stream().allMatch(id -> parking.store.row(id).state == ExecutionState.COMPLETED);
        });
        assertThat(parking.toolBridge.takeCalls()).containsExactly("1 read");
    }

    @Test
    void failedReadIsNotShared() throws Exception {
        runs.toolBridge.setUnavailable(
                "b", ToolReply.local(ToolResult.failure(ToolErrorCode.BACKEND_BUSY, "too many")));
        assertThat(result(run("return await b.read({ n: 1 }).catch((e) => e.code)")))
                .isEqualTo("\"backend-busy\"");
        runs.toolBridge.setAvailable("b");
        assertThat(result(run(READ))).isEqualTo("1");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
    }

    @Test
    void rerunReplaysTheSharedAnswer() throws Exception {
        run(READ);
        ExecutionId given = run(READ);
        runs.toolBridge.takeCalls();
        ExecutionId rerun =
                runs.submit(READ, Optional.of(new RerunOrigin(given, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo("1");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void sharedAnswerIsTheSameAfterACrash() throws Exception {
        run(READ);
        runs.toolBridge.takeCalls();
        for (int death = 1; death < 8; death++) {
            ExecutionId id = runs.submit(
                    "const n = (await b.read({ n: 1 })).echo.n; await b.again({}); return n", Optional.empty());
            runs.runThroughCrashes(id, List.of(death));
            assertThat(result(id)).isEqualTo("1");
        }
        assertThat(runs.toolBridge.takeCalls()).doesNotContain("1 read");
    }
}
