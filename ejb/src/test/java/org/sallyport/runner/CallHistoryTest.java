package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.policy.Policy;
import org.sallyport.policyengine.InvalidPolicyException;
import org.sallyport.policyengine.PolicyParser;
import org.sallyport.tool.Json;

/**
 * Rules that depend on earlier calls: every earlier call of an execution counts, regardless of how its name is written.
 */
class CallHistoryTest {
    private static final String AFTER = """
            {"otherwise":"allow","rules":[
              {"name":"twice","tools":["capabilities.shop.x"],"after":2,"decision":"deny"}]}""";
    private static final String SEEN = """
            {"otherwise":"allow","labels":{"secret":["capabilities.shop.*"],"web":["b.*"]},"rules":[
              {"name":"leak","tools":["e.*"],"seen":["secret","web"],"decision":"deny"}]}""";

    private final ScriptRunFixture runs;
    private volatile Policy policy = Policy.defaultPolicy();

    CallHistoryTest() {
        runs = new ScriptRunFixture(tenant -> policy);
        runs.publishCapability("shop.x");
        runs.grants = List.of("*");
    }

    private ExecutionId accepted(String document, String code) throws InvalidPolicyException {
        policy = PolicyParser.parse(new Json(document));
        return runs.submit(code, Optional.empty());
    }

    private String result(String document, String code) throws InvalidPolicyException, InterruptedException {
        return result(accepted(document, code));
    }

    private String result(ExecutionId id) throws InterruptedException {
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    @Test
    void capabilityCallsCountUnderEachSpelling() throws Exception {
        for (String name : List.of("mcp.shop.x", "capabilities.shop.x")) {
            assertThat(result(
                            AFTER,
                            ("const heard = []; for (let i = 0; i < 3; i++)"
                                            + " heard.push(await %s({}).then(() => 'ok', (e) => e.code));"
                                            + " return heard;")
                                    .formatted(name)))
                    .as(name)
                    .isEqualTo("[\"ok\",\"ok\",\"denied\"]");
        }
    }

    @Test
    void childSeesCallsOfItsAncestors() throws Exception {
        ExecutionId root = accepted(SEEN, "await mcp.shop.x({}); return 1");
        ExecutionId middle = accepted(SEEN, "await b.read({ n: 1 }).catch(() => 0); return 1");
        ExecutionId child = accepted(SEEN, "return e.effect({}).then(() => 'ok', (e) => e.code)");
        ExecutionId stranger = accepted(SEEN, "return e.effect({}).then(() => 'ok', (e) => e.code)");
        runs.store.nest(middle, root);
        runs.store.nest(child, middle);
        result(root);
        result(middle);
        int asked = runs.store.treeQueryCount();
        assertThat(result(stranger)).isEqualTo("\"ok\"");
        assertThat(runs.store.treeQueryCount())
                .as("who stands alone asks nobody")
                .isEqualTo(asked);
        assertThat(result(child)).isEqualTo("\"denied\"");
        assertThat(runs.store.treeQueryCount()).isEqualTo(asked + 1);
    }

    @Test
    void parentSeesCallsOfItsChildren() throws Exception {
        ExecutionId root = accepted(SEEN, """
                const first = await e.effect({}).then(() => 'ok', (e) => e.code);
                await mcp.shop.x({});
                return [first, await e.effect({}).then(() => 'ok', (e) => e.code)]""");
        ExecutionId child = accepted(SEEN, "await b.read({ n: 1 }).catch(() => 0); return 1");
        runs.store.nest(child, root);
        result(child);
        assertThat(result(root)).isEqualTo("[\"ok\",\"denied\"]");
    }

    @Test
    void rulesWithoutTreeConditionsDoNotQueryOtherExecutions() throws Exception {
        ExecutionId root = accepted(AFTER, "await b.read({}).catch(() => 0); await mcp.shop.x({}); return 1");
        ExecutionId child = accepted(AFTER, "await mcp.shop.x({}); return (await e.effect({})).echo");
        runs.store.nest(child, root);
        result(root);
        result(child);
        assertThat(runs.store.treeQueryCount()).isZero();
    }

    @Test
    void capabilityHasItsLabelsUnderEachSpelling() throws Exception {
        for (String name : List.of("mcp.shop.x", "capabilities.shop.x")) {
            assertThat(result(
                            SEEN,
                            "await %s({}); const first = await e.effect({}).then(() => 'ok', (e) => e.code);"
                                            .formatted(name)
                                    + " await b.read({ n: 1 }).catch(() => 0);"
                                    + " return [first, await e.effect({}).then(() => 'ok', (e) => e.code)];"))
                    .as(name)
                    .isEqualTo("[\"ok\",\"denied\"]");
        }
    }
}
