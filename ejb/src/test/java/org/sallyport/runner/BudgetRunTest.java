package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
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

/** Executions whose calls are charged to budgets, with the real sandbox. */
class BudgetRunTest {
    private static final String CAUGHT = ".catch((e) => e.code)";

    private final List<Budget> budgets = new ArrayList<>();
    private volatile boolean asks;
    private volatile ApprovalTerms.ExpiryAction atExpiry = ApprovalTerms.ExpiryAction.DENY;
    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> new Policy() {
        @Override
        public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
            return asks && tool.name().tool().equals("effect")
                    ? new PolicyDecision.AskDecision(
                            "careful", new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, atExpiry, "why"), false)
                    : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        }

        @Override
        public Optional<Cost> cost(ToolSpec tool, Json arguments) {
            return switch (tool.name().tool()) {
                case "read" -> Optional.of(Cost.ZERO);
                case "mail" -> Optional.empty();
                default -> Optional.of(Cost.of("1"));
            };
        }

        @Override
        public List<Budget> budgets() {
            return budgets;
        }
    });

    private void budget(String maxCost, boolean asks) {
        budgets.add(new Budget(
                "team",
                Budget.BudgetScope.TENANT,
                Optional.of(Budget.BudgetPeriod.DAY),
                Cost.of(maxCost),
                Set.of(),
                asks));
    }

    private ExecutionId run(String code, ExecutionState end) throws Exception {
        ExecutionId id = runs.submit(code, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(end);
        return id;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private List<String> judged(ExecutionId id) {
        return runs.store.readTrace(id, 0, 1_000).stream()
                .filter(TraceEvent.PolicyDecided.class::isInstance)
                .map(event ->
                        ((TraceEvent.PolicyDecided) event).decision() + " " + ((TraceEvent.PolicyDecided) event).rule())
                .toList();
    }

    private void vote(boolean yes) {
        vote(yes, Optional.empty());
    }

    private void vote(boolean yes, Optional<Json> edited) {
        runs.approvals.vote(
                "t",
                runs.approvals.last().id(),
                new ApprovalVote("anna", yes, false, edited, Optional.empty(), "so it is"));
    }

    @Test
    void callBeyondTheBudgetIsRefusedBeforeItIsSent() throws Exception {
        budget("2", false);
        ExecutionId id = run(
                "const all = []; for (let n = 0; n < 3; n++) all.push(await b.again({ n })" + CAUGHT + ");"
                        + " const e = await b.effect({}).catch((x) => [x.message, x.details]);"
                        + " return [all[2], e, (await b.read({ n: 0 })).echo.n]",
                ExecutionState.COMPLETED);

        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again", "2 again", "5 read");
        assertThat(result(id))
                .startsWith("[\"budget-exceeded\"")
                .contains("'b.effect' costs 1, but the budget 'team' of this tenant (2 a day) has 0 left")
                .contains("it renews at 1970-01-01T00:00:00Z, or an administrator raises it in the policy")
                .contains("\"budget\":\"team\"", "\"remaining\":0", "\"maxCost\":2", "\"renewsAt\"")
                .endsWith(",0]");
        assertThat(judged(id)).containsExactly("deny budget/team", "deny budget/team");
        assertThat(runs.spending.total()).isEqualTo(Cost.of("2"));
    }

    @Test
    void overwrittenArtifactFreesItsBytes() throws Exception {
        runs.storedBytes = 10;
        ExecutionId id = runs.submit(
                "const all = []; for (const [name, text] of [['a', '12345678'], ['a', '1234567890'], ['b', '1']])"
                        + " all.push(await artifacts.write(name, text).then((w) => w.size)" + CAUGHT
                        + "); return all;",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[8,10,\"quota-exceeded\"]");
    }

    @Test
    void callWithoutAPriceIsNotMade() throws Exception {
        ExecutionId id = run("return await b.mail({})" + CAUGHT, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"invalid-arguments\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void eachCallIsChargedOnceAcrossCrashes() throws Exception {
        String script = "for (let n = 0; n < 3; n++) { await b.again({ n }); await b.read({ n }).catch(() => 0); }"
                + " await b.effect({}).catch((e) => e.code); return 'done'";
        for (int first = 0; first < 5; first++) {
            for (int second = 0; second < 5; second++) {
                Cost before = runs.spending.total();
                ExecutionId id = runs.submit(script, Optional.empty());
                runs.runThroughCrashes(id, List.of(first, second));
                assertThat(result(id)).as(first + " " + second).isEqualTo("\"done\"");
                assertThat(runs.spending.total().minus(before))
                        .as("deaths after " + first + " and " + second)
                        .isEqualTo(Cost.of("4"));
                assertThat(runs.toolBridge.takeCalls()).doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void callThatDidNotReachItsToolIsFree() throws Exception {
        runs.toolBridge.setBusy(true);
        ExecutionId id = run(
                "return [await b.again({})" + CAUGHT + ", await b.effect({})" + CAUGHT + "]", ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[\"backend-busy\",\"backend-busy\"]");
        assertThat(runs.spending.total()).isEqualTo(Cost.ZERO);

        runs.toolBridge.setBusy(false);
        run("return await b.again({})", ExecutionState.COMPLETED);
        assertThat(runs.spending.total()).isEqualTo(Cost.of("1"));
    }

    @Test
    void servedCallStaysChargedAfterACrashWhenTheBackendIsGone() throws Exception {
        int served = 0;
        for (int deaths = 0; deaths < 5; deaths++) {
            Cost before = runs.spending.total();
            ExecutionId id = runs.submit("return await b.again({})" + CAUGHT, Optional.empty());
            runs.store.crashAfter(deaths);
            runs.runOnNewNode(id);
            runs.store.stopCrashing();
            if (!runs.store.row(id).state.isTerminal()) {
                runs.store.recover(id);
                runs.toolBridge.setUnavailable(
                        "b", new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "gone"), 0, 0, 0));
                assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
                runs.toolBridge.setAvailable("b");
                if (!runs.toolBridge.takeCalls().isEmpty()) {
                    served++;
                    assertThat(runs.spending.total().minus(before))
                            .as("death after " + deaths)
                            .isEqualTo(Cost.of("1"));
                }
            }
            runs.toolBridge.takeCalls();
        }
        assertThat(served).isPositive();
    }

    @Test
    void exhaustedBudgetCanAskForApproval() throws Exception {
        budget("1", true);
        String script = "await b.again({}); return await b.effect({ n: 1 })" + CAUGHT;
        ExecutionId yes = run(script, ExecutionState.WAITING);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again");
        assertThat(runs.approvals.last().request().rule()).isEqualTo("budget/team");
        assertThat(runs.approvals.last().request().terms().reason()).contains("has 0 left");
        vote(true);
        assertThat(runs.runOnNewNode(yes)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("2 effect");
        assertThat(runs.spending.total()).isEqualTo(Cost.of("2"));

        ExecutionId no = run("return await b.effect({ n: 2 })" + CAUGHT, ExecutionState.WAITING);
        vote(false);
        assertThat(runs.runOnNewNode(no)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(no)).isEqualTo("\"denied\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(runs.spending.total()).isEqualTo(Cost.of("2"));
    }

    @Test
    void callAnsweredByExpiryIsFree() throws Exception {
        asks = true;
        atExpiry = ApprovalTerms.ExpiryAction.value(new Json("\"nobody\""));
        budget("0", true);
        for (int deaths = 0; deaths < 4; deaths++) {
            ExecutionId id = run("return await b.effect({ n: 1 })" + CAUGHT, ExecutionState.WAITING);
            int asked = runs.approvals.size();
            runs.approvals.expireAll();
            runs.runThroughCrashes(id, List.of(deaths));
            assertThat(result(id)).as("deaths after " + deaths).isEqualTo("\"nobody\"");
            assertThat(runs.approvals.size()).isEqualTo(asked);
            assertThat(runs.toolBridge.takeCalls()).isEmpty();
            assertThat(runs.spending.total()).isEqualTo(Cost.ZERO);
        }
    }

    @Test
    void callHeldByPolicyAndBudgetIsMadeOnceAfterBothApprovals() throws Exception {
        asks = true;
        budget("0", true);
        for (int deaths = 0; deaths < 4; deaths++) {
            Cost paid = runs.spending.total();
            ExecutionId id = run("return await b.effect({ n: 1 })" + CAUGHT, ExecutionState.WAITING);
            assertThat(runs.approvals.last().request().rule()).isEqualTo("careful");
            vote(true);
            runs.store.crashAfter(deaths);
            runs.runOnNewNode(id);
            runs.store.stopCrashing();
            if (runs.store.row(id).state != ExecutionState.WAITING) {
                runs.store.recover(id);
                assertThat(runs.runOnNewNode(id)).as(deaths + " " + result(id)).isEqualTo(ExecutionState.WAITING);
            }
            assertThat(runs.toolBridge.takeCalls()).isEmpty();
            assertThat(runs.approvals.last().request().rule()).isEqualTo("budget/team");
            vote(true);

            assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).as("deaths after " + deaths).isEqualTo("{\"echo\":{\"n\":1}}");
            assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
            assertThat(runs.spending.total().minus(paid)).isEqualTo(Cost.of("1"));
        }
    }

    @Test
    void budgetApprovalUsesArgumentsThatAnApproverChanged() throws Exception {
        asks = true;
        budget("0", true);
        for (int deaths = 0; deaths < 4; deaths++) {
            ExecutionId id = run("return await b.effect({ n: 1000 })" + CAUGHT, ExecutionState.WAITING);
            vote(true, Optional.of(new Json("{\"n\":10}")));
            runs.store.crashAfter(deaths);
            runs.runOnNewNode(id);
            runs.store.stopCrashing();
            if (runs.store.row(id).state != ExecutionState.WAITING) {
                runs.store.recover(id);
                assertThat(runs.runOnNewNode(id)).as(deaths + " " + result(id)).isEqualTo(ExecutionState.WAITING);
            }
            assertThat(runs.approvals.last().request().rule()).isEqualTo("budget/team");
            assertThat(runs.approvals.last().request().arguments()).isEqualTo(new Json("{\"n\":10}"));
            vote(true);

            assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).as("deaths after " + deaths).isEqualTo("{\"echo\":{\"n\":10}}");
            assertThat(runs.toolBridge.takeCalls()).hasSize(1);
        }
    }

    @Test
    void crashesAroundABudgetApprovalDoNotChangeTheResult() throws Exception {
        budget("0", true);
        for (int before = 0; before < 4; before++) {
            for (int after = 0; after < 4; after++) {
                Cost paid = runs.spending.total();
                ExecutionId id = runs.submit("return await b.again({})" + CAUGHT, Optional.empty());
                runs.store.crashAfter(before);
                runs.runOnNewNode(id);
                runs.store.stopCrashing();
                if (runs.store.row(id).state != ExecutionState.WAITING) {
                    runs.store.recover(id);
                    assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.WAITING);
                }
                vote(true);
                runs.store.crashAfter(after);
                if (!runs.runOnNewNode(id).isTerminal()) {
                    runs.store.stopCrashing();
                    runs.store.recover(id);
                    runs.runOnNewNode(id);
                }
                runs.store.stopCrashing();
                assertThat(result(id)).isEqualTo("{\"echo\":{}}");
                assertThat(runs.toolBridge.takeCalls()).hasSize(1);
                assertThat(runs.spending.total().minus(paid)).isEqualTo(Cost.of("1"));
            }
        }
    }
}
