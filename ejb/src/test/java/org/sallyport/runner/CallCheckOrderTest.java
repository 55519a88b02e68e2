package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The order of the checks of a call: of several faults, the script receives only the first. */
class CallCheckOrderTest {
    private static final String CALL = "return await s.post({ n: %s }).catch((e) => [e.code, e.details ?? null])";

    private volatile boolean denies = true;
    private volatile String maxCost = "0";
    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> new Policy() {
        @Override
        public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
            return denies
                    ? new PolicyDecision.DenyDecision("closed", "not now")
                    : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        }

        @Override
        public Optional<Cost> cost(ToolSpec tool, Json arguments) {
            return Optional.of(Cost.of("1"));
        }

        @Override
        public List<Budget> budgets() {
            return List.of(new Budget(
                    "team",
                    Budget.BudgetScope.TENANT,
                    Optional.of(Budget.BudgetPeriod.DAY),
                    Cost.of(maxCost),
                    Set.of(),
                    false));
        }
    });

    CallCheckOrderTest() {
        Json schema = new Json("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}}}");
        runs.catalog.put(
                new CatalogBackend("s", "java", "q"),
                List.of(
                        new ToolSpec(new ToolName("s", "get"), "", schema, ToolHints.READ_ONLY),
                        new ToolSpec(new ToolName("s", "post"), "", schema, ToolHints.IDEMPOTENT)));
        runs.grants = List.of("s.get");
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private String heard(String argument) throws Exception {
        ExecutionId id = runs.submit(CALL.formatted(argument), Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return result(id);
    }

    @Test
    void checksRunInTheOrderGrantRuleSchemaBudget() throws Exception {
        assertThat(heard("'one'")).isEqualTo("[\"not-granted\",null]");
        runs.grants = List.of("s.*");
        assertThat(heard("'one'")).isEqualTo("[\"denied\",{\"rule\":\"closed\"}]");
        denies = false;
        assertThat(heard("'one'")).isEqualTo("[\"invalid-arguments\",{\"path\":\"/n\"}]");
        assertThat(heard("1")).startsWith("[\"budget-exceeded\",{\"budget\":\"team\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(runs.spending.total()).isEqualTo(Cost.ZERO);

        maxCost = "1";
        assertThat(heard("1")).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 s.post");
    }

    private void isHeardTheSameWhenItIsToldAgain(ExecutionId id) throws InterruptedException {
        String first = result(id);
        int all = runs.store.row(id).trace.size();
        for (int written = 1; written < all; written++) {
            InMemoryExecutionStore.StoredExecution row = runs.store.row(id);
            row.trace.subList(written, row.trace.size()).clear();
            runs.store.recover(id);
            assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).isEqualTo(first);
        }
    }

    @Test
    void refusalIsReplayedIdentically() throws Exception {
        runs.grants = List.of("s.*");
        ExecutionId id = runs.submit(
                "const e = await s.post({}).catch((x) => x); await sleep(1);"
                        + " const f = await s.post({}).catch((x) => x); return [e.details, f.details]",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[{\"rule\":\"closed\"},{\"rule\":\"closed\"}]");
        isHeardTheSameWhenItIsToldAgain(id);
    }
}
