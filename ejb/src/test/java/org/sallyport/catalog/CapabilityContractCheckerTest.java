package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.capability.UsedTool;
import org.sallyport.catalog.CapabilityContractChecker.BreachKind;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.StoredPosition;
import org.sallyport.journal.TestTracePages;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Checks the tools that capabilities rely on against their current declarations. */
class CapabilityContractCheckerTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final ExecutionId RUN = new ExecutionId(new UUID(1, 1));
    private static final String NUMBERS = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"}}}";

    private final Map<String, ToolSpec> declared = new HashMap<>();
    private final Map<String, ToolSpec> pending = new HashMap<>();
    private final List<String> lookedUpTools = new ArrayList<>();
    private final Map<ExecutionId, List<TraceEvent>> traces = new HashMap<>();
    private Optional<Capability> stored = Optional.empty();
    private int capabilityReads;
    private int eventsRead;
    private Instant now = NOW;
    private final CapabilityContractChecker contracts = new CapabilityContractChecker(
            new SingleCapabilityStore(),
            new TraceOnlyJournal(),
            new CachingSchemaValidator(),
            new MapToolSpecLookup(),
            () -> now);

    /** Returns the tools that the test declares. */
    private final class MapToolSpecLookup implements CapabilityContractChecker.ToolSpecLookup {
        @Override
        public Optional<ToolSpec> findCurrent(String tenant, ToolName name) {
            lookedUpTools.add(name.toString());
            return Optional.ofNullable(pending.getOrDefault(name.toString(), declared.get(name.toString())));
        }

        @Override
        public Optional<ToolSpec> findAccepted(String tenant, ToolName name) {
            return Optional.ofNullable(declared.get(name.toString()));
        }

        @Override
        public boolean needsStore(ToolName name) {
            return name.backend().equals("far");
        }
    }

    /** Holds one version of a capability, and its runs. */
    private final class SingleCapabilityStore implements CapabilityStore {
        @Override
        public boolean publish(NewCapability capability) {
            return false;
        }

        @Override
        public Optional<Capability> find(String tenant, String name, SemanticVersion version) {
            capabilityReads++;
            return stored;
        }

        @Override
        public List<CapabilityVersionSummary> listVersions(String tenant, String name) {
            return List.of();
        }

        @Override
        public Set<String> findStableNames(String tenant, Collection<String> names) {
            return Set.of();
        }

        @Override
        public List<String> searchNames(String tenant, String search, String after, int limit) {
            return List.of();
        }

        @Override
        public List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit) {
            return List.copyOf(traces.keySet());
        }

        @Override
        public boolean deprecate(String tenant, String name, SemanticVersion version, String reason) {
            return false;
        }
    }

    /** Returns traces only. */
    private final class TraceOnlyJournal implements Journal {
        @Override
        public boolean append(FencingToken fence, JournalBatch entries) {
            return false;
        }

        @Override
        public ReleaseResult release(FencingToken fence, JournalBatch entries) {
            return ReleaseResult.LOST;
        }

        @Override
        public SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
            return Optional.empty();
        }

        @Override
        public Optional<StoredPosition> findPosition(ExecutionId id) {
            return Optional.empty();
        }

        @Override
        public long findLastCall(ExecutionId id) {
            return 0;
        }

        @Override
        public List<TraceEvent> readEntries(ExecutionId id, long after, int limit) {
            return List.of();
        }

        @Override
        public List<TraceEvent> readTrace(ExecutionId id, long after, int limit) {
            List<TraceEvent> page = TestTracePages.page(traces.getOrDefault(id, List.of()), after, limit);
            eventsRead += page.size();
            return page;
        }
    }

    private static ToolSpec tool(String name, String input, String output) {
        return new ToolSpec(
                ToolName.parse(name),
                "Words",
                new Json(input),
                output.isEmpty() ? Optional.empty() : Optional.of(new Json(output)),
                ToolHints.EFFECT);
    }

    private void declare(String name, String input, String output) {
        declared.put(name, tool(name, input, output));
    }

    private void recordCall(String tool, String arguments, String result) {
        recordCall(tool, arguments, result, "allow");
    }

    private void recordCall(String tool, String arguments, String result, String decision) {
        List<TraceEvent> trace = traces.computeIfAbsent(RUN, any -> new ArrayList<>());
        int call = trace.size() + 1;
        trace.add(new TraceEvent.ToolStarted(call, NOW, call, ToolName.parse(tool), new Json(arguments)));
        trace.add(new TraceEvent.PolicyDecided(call + 1, NOW, call, ToolName.parse(tool), "rule", decision));
        boolean failed = result.isEmpty();
        trace.add(new TraceEvent.ToolEnded(
                call + 2,
                NOW,
                call,
                ToolName.parse(tool),
                1,
                1,
                failed ? Optional.empty() : Optional.of(new Json(result)),
                failed ? Optional.of(new ToolError(ToolErrorCode.TOOL_FAILED, "no")) : Optional.empty(),
                false,
                1));
    }

    private Capability publishedCapability(String... tools) {
        CapabilityDefinition content = new CapabilityDefinition(
                ScriptLanguage.JAVASCRIPT,
                "1",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                List.of(tools),
                List.of());
        return new Capability(
                "a",
                SemanticVersion.parse("1.0.0").orElseThrow(),
                content,
                "hash",
                contracts.schemaHashes("t", List.of(tools)),
                "key",
                Optional.empty(),
                NOW,
                Optional.empty());
    }

    private List<ContractBreach> breaches(Capability capability) {
        return contracts.findBreaches("t", capability);
    }

    @Test
    void exactlyNamedToolsArePinnedBySchemaHash() {
        declare("b.x", NUMBERS, "");
        declare("b.y", "{}", "{\"type\":\"number\"}");
        Map<String, String> pinned =
                contracts.schemaHashes("t", List.of("b.x", "b.y", "b.*", "b.away", "*", "$host.x"));
        assertThat(pinned).containsOnlyKeys("b.x", "b.y");
        declare("b.x", "{\"properties\":{\"a\":{\"type\":\"number\"}},\"type\":\"object\"}", "");
        assertThat(contracts.schemaHashes("t", List.of("b.x")))
                .as("the order of members says nothing")
                .containsEntry("b.x", pinned.get("b.x"));
        declare("b.y", "{}", "{\"type\":\"string\"}");
        assertThat(contracts.schemaHashes("t", List.of("b.y")).get("b.y")).isNotEqualTo(pinned.get("b.y"));
    }

    @Test
    void unchangedToolBreaksNoContract() {
        declare("b.x", NUMBERS, "{\"type\":\"number\"}");
        recordCall("b.x", "{\"a\":1}", "\"not what it says\"");
        assertThat(breaches(publishedCapability("b.x"))).isEmpty();
    }

    @Test
    void removedToolBreaksItsCallersAndCapabilitiesThatNameIt() {
        declare("b.x", NUMBERS, "");
        declare("b.y", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.y", "{}", "1");
        declared.clear();
        assertThat(breaches(capability))
                .extracting(ContractBreach::tool, ContractBreach::kind, ContractBreach::run)
                .containsExactly(
                        tuple("b.x", BreachKind.GONE, Optional.empty()),
                        tuple("b.y", BreachKind.GONE, Optional.of(RUN)));
    }

    @Test
    void recordedArgumentsThatTheNewSchemaRefusesAreABreach() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.*");
        recordCall("b.x", "{\"a\":1}", "1");
        declare("b.x", "{\"type\":\"object\",\"required\":[\"c\"]}", "");
        assertThat(breaches(capability)).singleElement().satisfies(breach -> {
            assertThat(breach.kind()).isEqualTo(BreachKind.ARGUMENTS);
            assertThat(breach.reason()).contains("would refuse", "'c'");
            assertThat(breach.run()).contains(RUN);
        });
    }

    @Test
    void schemaChangeThatAcceptsRecordedCallsIsNoBreach() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        declare("b.x", "{\"type\":\"object\",\"properties\":{\"c\":{}},\"required\":[\"a\"]}", "");
        assertThat(breaches(capability)).isEmpty();
    }

    @Test
    void changedResultSchemaIsABreach() {
        declare("b.x", NUMBERS, "{\"type\":\"number\"}");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        declare("b.x", NUMBERS, "{\"type\":\"object\"}");
        assertThat(breaches(capability)).extracting(ContractBreach::kind).containsExactly(BreachKind.RESULT);
    }

    @Test
    void schemaChangeWithoutUsableRecordedCallsIsReportedAsChanged() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        declare("b.x", "{\"type\":\"object\",\"required\":[\"c\"]}", "");
        recordCall("b.x", "{\"a\":1}", "");
        assertThat(breaches(capability)).extracting(ContractBreach::kind).containsExactly(BreachKind.CHANGED);
    }

    @Test
    void redactedAndMockedCallsAreIgnored() {
        declare("b.x", NUMBERS, "{\"type\":\"number\"}");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":\"[redacted]\"}", "1");
        recordCall("b.x", "{\"a\":1}", "{}", "mock");
        declare("b.x", NUMBERS, "{\"type\":\"integer\"}");
        assertThat(breaches(capability)).isEmpty();
    }

    @Test
    void pinnedDeclarationCountsInsteadOfThePendingOne() {
        declare("b.x", NUMBERS, "");
        pending.put("b.x", tool("b.x", "{\"type\":\"object\",\"required\":[\"c\"]}", ""));
        Capability capability = publishedCapability("b.x");
        assertThat(breaches(capability)).extracting(ContractBreach::kind).containsExactly(BreachKind.CHANGED);
        pending.clear();
        assertThat(breaches(capability)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"properties\":{\"a\":{\"pattern\":\"(?<n\"}}}", "no JSON", "{\"type\":7}"})
    void unusableSchemaIsABreachAndDoesNotThrow(String schema) {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":\"1\"}", "1");
        declare("b.x", schema, "");
        assertThat(breaches(capability))
                .extracting(ContractBreach::tool, ContractBreach::kind)
                .containsExactly(tuple("b.x", BreachKind.ARGUMENTS));
        assertThat(contracts.schemaHashes("t", List.of("b.x")).size()).isLessThan(2);
    }

    @Test
    void toolIsLookedUpOnceForManyCalls() {
        declare("b.x", NUMBERS, "");
        for (int call = 0; call < 100; call++) {
            recordCall("b.x", "{\"a\":1}", "1");
        }
        assertThat(breaches(publishedCapability("b.x"))).isEmpty();
        assertThat(lookedUpTools).containsExactly("b.x");
        assertThat(eventsRead).isEqualTo(300);
    }

    @Test
    void onlyTheBeginningOfALongTraceIsRead() {
        declare("b.x", NUMBERS, "{\"type\":\"string\"}");
        String longOne = "\"" + "x".repeat(1_000_000) + "\"";
        for (int call = 0; call < 100; call++) {
            recordCall("b.x", "{\"a\":1}", longOne);
        }
        assertThat(breaches(publishedCapability("b.x"))).isEmpty();
        assertThat(eventsRead).isLessThan(30);
    }

    @Test
    void onlyTheRequestedToolIsChecked() {
        declare("b.x", NUMBERS, "");
        declare("b.y", NUMBERS, "");
        Capability capability = publishedCapability("b.x", "b.y");
        recordCall("b.x", "{\"a\":1}", "1");
        recordCall("b.y", "{\"a\":1}", "1");
        declare("b.y", "{\"required\":[\"c\"]}", "");
        assertThat(breach(capability, "b.x")).isEmpty();
        assertThat(breach(capability, "b.y")).map(ContractBreach::kind).contains(BreachKind.ARGUMENTS);
        assertThat(breach(capability, "$host.artifact")).isEmpty();
        assertThat(lookedUpTools).containsExactly("b.x", "b.y");
    }

    @Test
    void unknownCapabilityHasNoBreach() {
        assertThat(contracts.findBreach("t", new CapabilityRef("a", "1.0.0"), "b.x"))
                .isEmpty();
        assertThat(contracts.findBreach("t", new CapabilityRef("a", "no version"), "b.x"))
                .isEmpty();
    }

    private Optional<ContractBreach> breach(Capability capability, String tool) {
        stored = Optional.of(capability);
        return contracts.findBreach("t", capability.ref(), tool);
    }

    @Test
    void unchangedToolRequiresNoTraceRead() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        assertThat(breach(capability, "b.x")).isEmpty();
        assertThat(eventsRead).isZero();
    }

    @Test
    void pendingRevertedToolRequiresTraceReads() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        pending.put("b.x", declared.get("b.x"));
        declare("b.x", "{\"type\":\"object\",\"required\":[\"c\"]}", "");
        assertThat(breach(capability, "b.x")).isEmpty();
        assertThat(eventsRead).isEqualTo(3);
    }

    @Test
    void removedPinnedToolIsGoneWithoutReadingTraces() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        declared.clear();
        assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.GONE);
        assertThat(eventsRead).isZero();
    }

    @Test
    void toolThatWasNeverCalledOrNamedIsNotGone() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.*");
        recordCall("b.x", "{\"a\":1}", "1");
        declared.clear();
        assertThat(breach(capability, "b.never")).isEmpty();
        assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.GONE);
    }

    @Test
    void breachIsCachedUntilTheToolIsRedeclared() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        recordCall("b.x", "{\"a\":1}", "1");
        declare("b.x", "{\"type\":\"object\",\"required\":[\"c\"]}", "");
        for (int attempt = 0; attempt < 10; attempt++) {
            assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.ARGUMENTS);
        }
        assertThat(eventsRead).isEqualTo(3);
        assertThat(capabilityReads).as("nor is the version read again").isEqualTo(1);
        declare("b.x", "{\"type\":\"object\",\"required\":[\"a\"]}", "");
        assertThat(breach(capability, "b.x")).isEmpty();
        assertThat(eventsRead).isEqualTo(6);
    }

    @Test
    void cachedBreachExpires() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.x");
        declare("b.x", "{\"type\":\"object\",\"properties\":{\"c\":{}}}", "");
        assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.CHANGED);
        recordCall("b.x", "{\"c\":1}", "1");
        assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.CHANGED);
        now = now.plus(ContractBreachCache.TTL);
        assertThat(breach(capability, "b.x")).isEmpty();
    }

    @Test
    void unusableSchemaIsABreachWithoutReadingTraces() {
        declare("b.x", NUMBERS, "");
        Capability capability = publishedCapability("b.*");
        recordCall("b.x", "{\"a\":1}", "1");
        declare("b.x", "no JSON", "");
        assertThat(breach(capability, "b.x")).map(ContractBreach::kind).contains(BreachKind.ARGUMENTS);
        assertThat(eventsRead).isZero();
    }

    @Test
    void hostCallsAreNotCheckedAsTools() {
        recordCall("$host.artifact", "{}", "1");
        assertThat(breaches(publishedCapability())).isEmpty();
    }

    @Test
    void usedToolsAreComparedWithABoundedNumberOfLookupsInTheStore() {
        ToolSpec tool = new ToolSpec(new ToolName("far", "a"), "", new Json(NUMBERS), ToolHints.READ_ONLY);
        String hash = CapabilityContractChecker.schemaHash(tool);
        List<UsedTool> used = new ArrayList<>();
        for (String name : List.of("near.a", "near.b", "near.c")) {
            used.add(new UsedTool(name, hash, NOW, NOW));
        }
        for (int i = 0; i < 2 * CapabilityContractChecker.MAX_STORE_LOOKUPS; i++) {
            used.add(new UsedTool("far.t" + i, hash, NOW, NOW));
            declared.put("far.t" + i, tool);
        }
        declared.put("near.a", tool);
        declared.put("near.b", tool);
        pending.put("near.b", new ToolSpec(tool.name(), "", new Json("{}"), ToolHints.READ_ONLY));
        Map<String, CapabilityContractChecker.UsedToolState> states = contracts.compare("t", used);
        assertThat(states)
                .containsEntry("near.a", CapabilityContractChecker.UsedToolState.SAME)
                .containsEntry("near.b", CapabilityContractChecker.UsedToolState.CHANGED)
                .containsEntry("near.c", CapabilityContractChecker.UsedToolState.GONE)
                .containsEntry("far.t0", CapabilityContractChecker.UsedToolState.SAME);
        assertThat(states.values())
                .filteredOn(CapabilityContractChecker.UsedToolState.UNKNOWN::equals)
                .hasSize(CapabilityContractChecker.MAX_STORE_LOOKUPS);
    }
}
