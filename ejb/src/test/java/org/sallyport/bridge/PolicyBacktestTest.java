package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.policyengine.InvalidPolicyException;
import org.sallyport.policyengine.PolicyParser;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class PolicyBacktestTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));
    private static final ToolName FIND = new ToolName("search", "find");
    private static final ToolName SEND = new ToolName("mail", "send");
    private static final ToolName FALLBACK_TOOL = new ToolName("mirror", "find");
    private static final ToolName REFUND = new ToolName(CapabilityToolProvider.BACKEND, "shop.refund");
    private static final ToolName REFUND_BY_OWN_NAME = new ToolName("shop", "refund");
    /** A tool that a nested execution called. */
    private static final ToolName NESTED_TOOL = new ToolName("crm", "find");

    private static final Policy ALLOW = (tool, arguments, situation) -> new PolicyDecision.AllowDecision("all");

    @Test
    void fallbackCountsAsAnEarlierCall() {
        Policy proposed = (tool, arguments, situation) ->
                tool.name().equals(SEND) && situation.previousCalls().get().contains(FALLBACK_TOOL)
                        ? new PolicyDecision.DenyDecision("after-mirror", "no mail after it")
                        : new PolicyDecision.AllowDecision("all");

        PolicyBacktest.BacktestResult result = backtest(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, FIND, new Json("{}")),
                        new TraceEvent.PolicyDecided(
                                2, Instant.EPOCH, 1, FALLBACK_TOOL, "all", TraceEvent.PolicyDecided.FALLBACK),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 2, SEND, new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.calls()).isEqualTo(2);
        assertThat(result.changed())
                .containsExactly(new PolicyBacktest.DecisionChange(ID, 2, SEND, "allow", "deny", "after-mirror"));
    }

    @Test
    void capabilityIsEvaluatedAndCountedUnderEachSpelling() throws InvalidPolicyException {
        Policy proposed = PolicyParser.parse(new Json("""
                {"otherwise":"allow","rules":[
                  {"name":"once","tools":["capabilities.shop.*"],"after":1,"decision":"deny"}]}"""));

        PolicyBacktest.BacktestResult result = backtest(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, REFUND_BY_OWN_NAME, new Json("{}")),
                        new TraceEvent.ToolStarted(2, Instant.EPOCH, 2, REFUND, new Json("{}")),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 3, REFUND_BY_OWN_NAME, new Json("{}")),
                        new TraceEvent.ToolStarted(4, Instant.EPOCH, 4, new ToolName("no", "such"), new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.calls()).isEqualTo(3);
        assertThat(result.changed())
                .containsExactly(
                        new PolicyBacktest.DecisionChange(ID, 2, REFUND, "allow", "deny", "once"),
                        new PolicyBacktest.DecisionChange(ID, 3, REFUND_BY_OWN_NAME, "allow", "deny", "once"));
    }

    @Test
    void nestedCallsCountAsSeenAfterACapabilityCall() throws InvalidPolicyException {
        Policy proposed = PolicyParser.parse(new Json("""
                {"otherwise":"allow","labels":{"below":["crm.*"]},"rules":[
                  {"name":"leak","tools":["mail.*"],"seen":["below"],"decision":"deny"}]}"""));

        PolicyBacktest.BacktestResult result = backtest(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, SEND, new Json("{}")),
                        new TraceEvent.ToolStarted(2, Instant.EPOCH, 2, REFUND_BY_OWN_NAME, new Json("{}")),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 3, SEND, new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.changed())
                .containsExactly(new PolicyBacktest.DecisionChange(ID, 3, SEND, "allow", "deny", "leak"));
    }

    private static PolicyBacktest backtest(TraceEvent... events) {
        ToolCatalog catalog = new ToolCatalog();
        for (ToolName name : List.of(FIND, SEND)) {
            catalog.put(
                    new CatalogBackend(name.backend(), "java", "calls"),
                    List.of(new ToolSpec(name, "", new Json("{}"), Optional.empty(), ToolHints.EFFECT)));
        }
        ExecutionSummary one = new ExecutionSummary(
                ID,
                "t",
                "key",
                ExecutionState.COMPLETED,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                "",
                4,
                1,
                Map.of(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        // The backtest calls only one method of the execution store and one method of the journal.
        ExecutionStore executions = proxyOf(ExecutionStore.class, arguments -> {
            boolean first = ((Optional<?>) arguments[2]).isEmpty();
            return new ExecutionPage(first ? List.of(one) : List.of(), Optional.empty());
        });
        Journal journal = proxyOf(Journal.class, arguments -> (long) arguments[1] == 0 ? List.of(events) : List.of());
        ToolCatalog published = new ToolCatalog();
        published.put(
                new CatalogBackend(CapabilityToolProvider.BACKEND, "capability", ""),
                List.of(new ToolSpec(REFUND, "", new Json("{}"), Optional.empty(), ToolHints.IDEMPOTENT)));
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog,
                tenant -> ALLOW,
                (tenant, name) -> published.find(new ToolName(CapabilityToolProvider.BACKEND, name)),
                SubmitterGrants.ALL_TOOLS);
        return new PolicyBacktest(
                executions, journal, gate, proxyOf(NestedExecutionStore.class, arguments -> List.of(NESTED_TOOL)));
    }

    private interface ProxyAnswer {
        Object invoke(Object[] arguments);
    }

    private static <T> T proxyOf(Class<T> type, ProxyAnswer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer.invoke(arguments)));
    }
}
