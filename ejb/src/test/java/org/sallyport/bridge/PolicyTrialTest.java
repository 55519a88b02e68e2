package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Holdings;
import org.sallyport.policy.Policy;
import org.sallyport.rules.InvalidRulesException;
import org.sallyport.rules.RuleReader;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class PolicyTrialTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));
    private static final ToolName FIND = new ToolName("search", "find");
    private static final ToolName SEND = new ToolName("mail", "send");
    private static final ToolName STOOD_IN = new ToolName("mirror", "find");
    private static final ToolName REFUND = new ToolName(CapabilityTools.BACKEND, "shop.refund");
    private static final ToolName SHORT = new ToolName("shop", "refund");
    /** What what was nested called. */
    private static final ToolName BELOW = new ToolName("crm", "find");

    private static final Policy ALLOW = (tool, arguments, situation) -> new Decision.Allow("all");

    @Test
    void whatStoodInForABackendCountsAmongWhatWasCalledBefore() {
        Policy proposed = (tool, arguments, situation) ->
                tool.name().equals(SEND) && situation.before().get().contains(STOOD_IN)
                        ? new Decision.Deny("after-mirror", "no mail after it")
                        : new Decision.Allow("all");

        PolicyTrial.Result result = trial(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, FIND, new Json("{}")),
                        new TraceEvent.Judged(2, Instant.EPOCH, 1, STOOD_IN, "all", TraceEvent.Judged.FALLBACK),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 2, SEND, new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.calls()).isEqualTo(2);
        assertThat(result.changed())
                .containsExactly(new PolicyTrial.Change(ID, 2, SEND, "allow", "deny", "after-mirror"));
    }

    @Test
    void capabilitiesAreJudgedAndCountHoweverTheyAreWritten() throws InvalidRulesException {
        Policy proposed = RuleReader.read(new Json("""
                {"otherwise":"allow","rules":[
                  {"name":"once","tools":["capabilities.shop.*"],"after":1,"then":"deny"}]}"""));

        PolicyTrial.Result result = trial(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, SHORT, new Json("{}")),
                        new TraceEvent.ToolStarted(2, Instant.EPOCH, 2, REFUND, new Json("{}")),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 3, SHORT, new Json("{}")),
                        new TraceEvent.ToolStarted(4, Instant.EPOCH, 4, new ToolName("no", "such"), new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.calls()).isEqualTo(3);
        assertThat(result.changed())
                .containsExactly(
                        new PolicyTrial.Change(ID, 2, REFUND, "allow", "deny", "once"),
                        new PolicyTrial.Change(ID, 3, SHORT, "allow", "deny", "once"));
    }

    @Test
    void whatWasCalledBelowCountsAsSeenOnceACapabilityWasCalled() throws InvalidRulesException {
        Policy proposed = RuleReader.read(new Json("""
                {"otherwise":"allow","labels":{"below":["crm.*"]},"rules":[
                  {"name":"leak","tools":["mail.*"],"seen":["below"],"then":"deny"}]}"""));

        PolicyTrial.Result result = trial(
                        new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, SEND, new Json("{}")),
                        new TraceEvent.ToolStarted(2, Instant.EPOCH, 2, SHORT, new Json("{}")),
                        new TraceEvent.ToolStarted(3, Instant.EPOCH, 3, SEND, new Json("{}")))
                .run("t", 10, ALLOW, proposed);

        assertThat(result.changed()).containsExactly(new PolicyTrial.Change(ID, 3, SEND, "allow", "deny", "leak"));
    }

    private static PolicyTrial trial(TraceEvent... events) {
        Catalog catalog = new Catalog();
        for (ToolName name : List.of(FIND, SEND)) {
            catalog.put(
                    new Backend(name.backend(), "java", "calls"),
                    List.of(new ToolSpec(name, "", new Json("{}"), Optional.empty(), ToolHints.EFFECT)));
        }
        ExecutionSummary one = new ExecutionSummary(
                ID,
                "t",
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
                Optional.empty());
        // Both are asked for one thing.
        ExecutionStore executions = only(ExecutionStore.class, arguments -> {
            boolean first = ((Optional<?>) arguments[2]).isEmpty();
            return new ExecutionPage(first ? List.of(one) : List.of(), Optional.empty());
        });
        Journal journal = only(Journal.class, arguments -> (long) arguments[1] == 0 ? List.of(events) : List.of());
        Catalog published = new Catalog();
        published.put(
                new Backend(CapabilityTools.BACKEND, "capability", ""),
                List.of(new ToolSpec(REFUND, "", new Json("{}"), Optional.empty(), ToolHints.IDEMPOTENT)));
        CallGate gate = new CallGate(
                catalog,
                tenant -> ALLOW,
                (tenant, name) -> published.find(new ToolName(CapabilityTools.BACKEND, name)),
                Holdings.EVERYTHING);
        return new PolicyTrial(executions, journal, gate, only(NestedRunStore.class, arguments -> List.of(BELOW)));
    }

    private interface Answer {
        Object to(Object[] arguments);
    }

    private static <T> T only(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer.to(arguments)));
    }
}
