package org.sallyport.capability;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link CapabilityStore}, for every implementation. */
public abstract class CapabilityStoreContract {
    private static final String TENANT = "t\u0000";

    protected abstract CapabilityStore capabilities();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private static SemanticVersion version(String text) {
        return SemanticVersion.parse(text).orElseThrow();
    }

    private static CapabilityDefinition content(String code) {
        return new CapabilityDefinition(
                ScriptLanguage.TYPESCRIPT,
                code,
                Optional.of("test('a\uD800', () => {})"),
                "Adds \u0000 Fees",
                Optional.of(new Json("{\"type\":\"object\"}")),
                Optional.empty(),
                List.of("demo.*", "mail.send"),
                List.of("REGION"),
                Optional.of(CapabilitySandbox.IN_PROCESS));
    }

    private boolean publish(String tenant, String name, String version, String code) {
        return capabilities()
                .publish(new NewCapability(
                        tenant,
                        name,
                        version(version),
                        content(code),
                        Map.of("demo.add", "4711"),
                        "key",
                        Optional.of(new ExecutionId(new UUID(7, 7)))));
    }

    @Test
    void publishedCapabilityRoundTrips() {
        assertThat(publish(TENANT, "a.b", "1.0.0", "return '\u0000\uD800'")).isTrue();
        Capability found = capabilities().find(TENANT, "a.b", version("1.0.0")).orElseThrow();
        assertThat(found.definition()).isEqualTo(content("return '\u0000\uD800'"));
        assertThat(found.isIntact()).isTrue();
        assertThat(found.contract()).isEqualTo(Map.of("demo.add", "4711"));
        assertThat(found.publisher()).isEqualTo("key");
        assertThat(found.testRun()).contains(new ExecutionId(new UUID(7, 7)));
        assertThat(found.deprecation()).isEmpty();
        assertThat(capabilities().find("u", "a.b", version("1.0.0"))).isEmpty();
        assertThat(capabilities().find(TENANT, "a.b", version("1.0.1"))).isEmpty();
        assertThat(capabilities().find(TENANT, "\u0000", version("1.0.0"))).isEmpty();
    }

    @Test
    void versionIsPublishedOnce() throws Exception {
        List<Boolean> published =
                ConcurrencyTestUtil.runConcurrently(8, i -> publish(TENANT, "a", "1.0.0", "return " + i));
        assertThat(published).filteredOn(first -> first).hasSize(1);
        assertThat(publish("u", "a", "1.0.0", "return 1")).isTrue();
        assertThat(capabilities().listVersions(TENANT, "a")).hasSize(1);
    }

    @Test
    void namesWithAStableVersionAreFound() {
        publish(TENANT, "a", "1.0.0", "return 1");
        publish(TENANT, "b", "1.0.0-rc.1", "return 1");
        publish(TENANT, "c", "1.0.0", "return 1");
        publish(TENANT, "d", "1.0.0", "return 1");
        publish(TENANT, "d", "2.0.0", "return 1");
        publish("u", "e", "1.0.0", "return 1");
        capabilities().deprecate(TENANT, "c", version("1.0.0"), "");
        capabilities().deprecate(TENANT, "d", version("2.0.0"), "");
        assertThat(capabilities().findStableNames(TENANT, List.of("a", "b", "c", "d", "e", "\u0000")))
                .containsExactlyInAnyOrder("a", "d");
    }

    @Test
    void deprecatedVersionHasNoAliasAndKeepsItsContent() {
        publish(TENANT, "a", "1.0.0", "return 1");
        publish(TENANT, "a", "1.10.0", "return 2");
        publish(TENANT, "a", "2.0.0-rc.1", "return 3");
        assertThat(alias("stable")).contains("1.10.0");
        assertThat(alias("latest")).contains("2.0.0-rc.1");

        assertThat(capabilities().deprecate(TENANT, "a", version("1.10.0"), "too \u0000 slow"))
                .isTrue();
        assertThat(capabilities().deprecate(TENANT, "a", version("1.10.0"), "other"))
                .isTrue();
        assertThat(capabilities().deprecate(TENANT, "a", version("9.9.9"), "")).isFalse();
        assertThat(capabilities().deprecate("u", "a", version("1.0.0"), "")).isFalse();
        assertThat(alias("stable")).contains("1.0.0");
        Capability old = capabilities().find(TENANT, "a", version("1.10.0")).orElseThrow();
        assertThat(old.isIntact()).isTrue();
        assertThat(old.deprecation().map(Capability.CapabilityDeprecation::reason))
                .contains("too \u0000 slow");
    }

    private Optional<String> alias(String alias) {
        return CapabilityVersionSummary.resolveAlias(alias, capabilities().listVersions(TENANT, "a"))
                .map(found -> found.version().toString());
    }

    @Test
    void namesAreSearchedByWordsPageByPage() {
        for (String name : List.of("mail.send", "fees.add", "fees.remove")) {
            publish(TENANT, name, "1.0.0", "return 1");
            publish(TENANT, name, "1.1.0", "return 1");
        }
        publish("u", "fees.other", "1.0.0", "return 1");
        assertThat(capabilities().searchNames(TENANT, "", "", 10))
                .containsExactly("fees.add", "fees.remove", "mail.send");
        assertThat(capabilities().searchNames(TENANT, "", "fees.add", 1)).containsExactly("fees.remove");
        assertThat(capabilities().searchNames(TENANT, "MAIL", "", 10)).containsExactly("mail.send");
        assertThat(capabilities().searchNames(TENANT, "fees\u0000", "", 10)).isEmpty();
        assertThat(capabilities().searchNames(TENANT, "adds", "", 10)).hasSize(3);
        assertThat(capabilities().searchNames(TENANT, "%", "", 10)).isEmpty();
    }

    @Test
    void executionsAreFoundByTheirCapability() {
        NewExecution plain = NewExecutionBuilder.anExecution().tenant(TENANT).build();
        NewExecution one = executionOf("a", "1.0.0");
        NewExecution two = executionOf("a", "2.0.0");
        NewExecution other = executionOf("ab", "1.0.0");
        for (NewExecution each : List.of(plain, one, two, other)) {
            store().insert(each);
        }
        assertThat(ids("a")).containsExactly(two.id(), one.id());
        assertThat(ids("a@1.0.0")).containsExactly(one.id());
        assertThat(ids("a@3.0.0")).isEmpty();
        assertThat(ids("\u0000")).isEmpty();
        assertThat(store().list(
                                TENANT,
                                new ExecutionFilter(Set.of(ExecutionState.PENDING), Optional.of("a")),
                                Optional.of(two.id()),
                                10)
                        .items())
                .extracting(ExecutionSummary::id)
                .containsExactly(one.id());
        assertThat(store().list(
                                TENANT,
                                new ExecutionFilter(Set.of(ExecutionState.RUNNING), Optional.of("a")),
                                Optional.empty(),
                                10)
                        .items())
                .isEmpty();
        Execution found = store().find(TENANT, one.id()).orElseThrow();
        assertThat(found.summary().capability()).contains(new CapabilityRef("a", "1.0.0"));
        ClaimedExecution claim = store().claim(one.id(), "node").orElseThrow();
        assertThat(claim.outputSchema()).contains(new Json("{\"type\":\"number\"}"));
        assertThat(store().find(TENANT, plain.id()).orElseThrow().summary().capability())
                .isEmpty();
        assertThat(store().claim(plain.id(), "node").orElseThrow().outputSchema())
                .isEmpty();
    }

    @Test
    void newestCompletedRunsAreFound() {
        NewExecution old = runToEnd(executionOf("a", "1.0.0"), new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        NewExecution recent = runToEnd(executionOf("a", "1.0.0"), new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        runToEnd(executionOf("a", "1.0.0"), new ExecutionOutcome.ExecutionCancelled());
        runToEnd(
                executionOf("a", "1.0.0", new EffectMode.DryRun(new Json("{}"))),
                new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        runToEnd(executionOf("a", "2.0.0"), new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        store().insert(executionOf("a", "1.0.0"));
        assertThat(capabilities().findCompletedRuns(TENANT, "a", version("1.0.0"), 10))
                .containsExactly(recent.id(), old.id());
        assertThat(capabilities().findCompletedRuns(TENANT, "a", version("1.0.0"), 1))
                .containsExactly(recent.id());
        assertThat(capabilities().findCompletedRuns("u", "a", version("1.0.0"), 10))
                .isEmpty();
        assertThat(capabilities().findCompletedRuns(TENANT, "\u0000", version("1.0.0"), 10))
                .isEmpty();
    }

    private NewExecution runToEnd(NewExecution execution, ExecutionOutcome outcome) {
        store().insert(execution);
        ClaimedExecution claim = store().claim(execution.id(), "node").orElseThrow();
        assertThat(journal().finish(claim.fence(), outcome, JournalBatch.NONE)).isPresent();
        return execution;
    }

    private List<ExecutionId> ids(String capability) {
        return store()
                .list(TENANT, new ExecutionFilter(Set.of(), Optional.of(capability)), Optional.empty(), 10)
                .items()
                .stream()
                .map(ExecutionSummary::id)
                .toList();
    }

    private static NewExecution executionOf(String name, String version) {
        return executionOf(name, version, EffectMode.REAL);
    }

    private static NewExecution executionOf(String name, String version, EffectMode effects) {
        NewExecution like = NewExecutionBuilder.anExecution().tenant(TENANT).build();
        return new NewExecution(
                like.id(),
                like.tenant(),
                like.submitter(),
                like.code(),
                like.language(),
                like.tier(),
                like.args(),
                like.context(),
                like.limits(),
                like.grants(),
                like.labels(),
                like.priority(),
                like.debug(),
                like.durability(),
                like.intent(),
                like.idempotencyKey(),
                like.rerun(),
                effects,
                Optional.of(new CapabilityBinding(
                        new CapabilityRef(name, version), Optional.of(new Json("{\"type\":\"number\"}")))));
    }
}
