package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.callback.Callback;
import org.sallyport.callback.CallbackState;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Cost;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedExecutionStore.NestedExecution;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.StoredCancelRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.web.openapi.ApiDescription;

/** Compares the JSON that the mapper writes with the API description, member by member. */
class ExecutionMapperTest {
    private static final ExecutionId ID =
            ExecutionId.parse("019ea7c0-1a2b-7000-92af-3bd76810d50e").orElseThrow();
    private static final Instant CREATED = Instant.parse("2026-06-08T15:00:45.227Z");
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final NestedExecution RUN =
            new NestedExecution(ID, Optional.of(new CapabilityRef("shop.fees", "1.0.0")));
    private static final CapabilityCallIndex NESTED = new CapabilityCallIndex(Map.of(1L, RUN));
    private static final ExecutionLimits LIMITS = new ExecutionLimits(
            300_000,
            30_000,
            1L << 26,
            1_000,
            200_000,
            Optional.of(Cost.of("10")),
            Stream.of(AdditionalLimit.values()).collect(Collectors.toMap(limit -> limit, limit -> 7)));

    private static final Callback CALLBACK = new Callback(
            ID,
            "default",
            "https://hooks.example.org/",
            CallbackState.DUE,
            2,
            Optional.of(CREATED),
            Optional.of(503),
            Optional.of("the receiver answered 503"),
            Optional.of(CREATED));

    private final ApiDescription description = ApiDescription.read();

    @Test
    void fullExecutionHasAllDescribedMembers() {
        JsonNode json = full(ExecutionState.FAILED, false);
        JsonNode running = full(ExecutionState.RUNNING, true);
        JsonNode waiting = full(ExecutionState.WAITING, false);

        assertThat(description.violations("Execution", json)).isEmpty();
        assertThat(description.violations("Execution", waiting)).isEmpty();
        assertThat(description.violations("Execution", running)).isEmpty();
        Set<String> members = members(json);
        members.addAll(members(running));
        members.addAll(members(waiting));
        members.add("trace"); // Only with include=trace; ExecutionResponder adds it, see ExecutionIT.
        assertThat(members).isEqualTo(description.members("Execution"));
        Set<String> error = members(json.path("error"));
        error.add("contract"); // Only for capabilities; ExecutionResponder adds it, see CapabilitiesIT.
        assertThat(error).isEqualTo(description.members("ExecutionError"));
        assertThat(members(json.path("callback"))).isEqualTo(description.members("Callback"));
        assertThat(json.path("blockedAttempts").toString())
                .isEqualTo("{\"total\":5,\"attempts\":[{\"kind\":\"global\",\"name\":\"fetch\",\"count\":2},"
                        + "{\"kind\":\"tool\",\"count\":3}]}");
        assertThat(members(json.path("limits"))).isEqualTo(description.members("Limits"));
        assertThat(members(json.path("retry"))).isEqualTo(description.members("ExecutionRetry"));
        assertThat(members(json.path("links"))).isEqualTo(description.members("ExecutionLinks"));
    }

    @Test
    void minimalExecutionHasOnlyTheRequiredMembers() {
        Execution execution = new Execution(
                summary(ExecutionState.PENDING, false),
                Json.EMPTY_OBJECT,
                LIMITS,
                List.of(),
                Optional.empty(),
                Durability.JOURNAL,
                false,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);

        JsonNode json = written(ExecutionMapper.execution(
                execution, new ExecutionMapper.ExecutionOutput("", ""), OptionalLong.empty()));

        assertThat(description.violations("Execution", json)).isEmpty();
        assertThat(members(json)).isEqualTo(description.required("Execution"));
    }

    @Test
    void errorWithoutPositionHasOnlyTheRequiredMembers() {
        Execution execution = new Execution(
                summary(ExecutionState.FAILED, true),
                Json.EMPTY_OBJECT,
                LIMITS,
                List.of("*"),
                Optional.empty(),
                Durability.JOURNAL,
                false,
                Optional.empty(),
                Optional.of(ExecutionError.of(ErrorCode.RUNNER_LOST, "lost")),
                0,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);

        JsonNode error = written(ExecutionMapper.execution(
                        execution, new ExecutionMapper.ExecutionOutput("", ""), OptionalLong.empty()))
                .path("error");

        assertThat(members(error)).isEqualTo(description.required("ExecutionError"));
    }

    @Test
    void nullResultIsWritten() {
        Execution execution = new Execution(
                summary(ExecutionState.COMPLETED, true),
                Json.NULL,
                LIMITS,
                List.of("*"),
                Optional.empty(),
                Durability.JOURNAL,
                true,
                Optional.of(Json.NULL),
                Optional.empty(),
                0,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);

        JsonNode json = written(ExecutionMapper.execution(
                execution, new ExecutionMapper.ExecutionOutput("", ""), OptionalLong.empty()));

        assertThat(json.has("result")).isTrue();
        assertThat(json.path("result").isNull()).isTrue();
        assertThat(json.has("cancelRequested")).isFalse();
        assertThat(description.violations("Execution", json)).isEmpty();
    }

    @Test
    void listEntryHasTheDescribedMembers() {
        JsonNode full = written(ExecutionMapper.summary(summary(ExecutionState.FAILED, true)));
        JsonNode bare = written(ExecutionMapper.summary(summary(ExecutionState.PENDING, false)));

        assertThat(members(full)).isEqualTo(description.members("ExecutionSummary"));
        assertThat(members(bare)).isEqualTo(description.required("ExecutionSummary"));
        assertThat(description.violations("ExecutionSummary", full)).isEmpty();
    }

    @Test
    void listStatesWhetherMoreEntriesFollow() {
        ObjectNode entry = ExecutionMapper.summary(summary(ExecutionState.PENDING, false));
        JsonNode last = written(ExecutionMapper.list(List.of(), Optional.empty()));
        JsonNode first = written(ExecutionMapper.list(List.of(entry), Optional.of(Cursor.encode(ID))));

        assertThat(description.violations("ExecutionList", last)).isEmpty();
        assertThat(description.violations("ExecutionList", first)).isEmpty();
        Set<String> members = members(last);
        members.add("batches"); // Only with collapseBatches, see BatchRowsIT.
        assertThat(members).isEqualTo(description.members("ExecutionList"));
        assertThat(last.path("next").isNull()).isTrue();
    }

    @Test
    void eventsHaveTheDescribedMembers() {
        TraceEvent started = new TraceEvent.ToolStarted(1, CREATED, 1, ADD, new Json("{\"a\":1}"), true);
        TraceEvent gave = new TraceEvent.ToolEnded(
                        2,
                        CREATED,
                        1,
                        ADD,
                        5,
                        1,
                        Optional.of(Json.NULL),
                        Optional.empty(),
                        false,
                        2,
                        Optional.of(new ConnectorReport(3, Optional.of("node-7"))))
                .asReplayed(2, CREATED);
        TraceEvent failed = new TraceEvent.ToolEnded(
                2,
                CREATED,
                1,
                ADD,
                5,
                1,
                Optional.empty(),
                Optional.of(new ToolError(ToolErrorCode.TOOL_FAILED, "no", Optional.of(new Json("[1]")))));
        TraceEvent state = new TraceEvent.StateChanged(3, CREATED, ExecutionState.RUNNING, 1);

        assertThat(members(valid("ToolStarted", started, NESTED))).isEqualTo(description.members("ToolStarted"));
        TraceEvent cancelled = new TraceEvent.StateChanged(3, CREATED, ExecutionState.CANCELLED, 1);
        ObjectNode shown = ExecutionMapper.event(cancelled, CapabilityCallIndex.NONE);
        ExecutionMapper.addCancellation(shown, state, () -> Optional.of(cancelledExecution()));
        assertThat(shown.has("cancellation")).isFalse();
        ExecutionMapper.addCancellation(shown, cancelled, () -> Optional.of(cancelledExecution()));
        assertThat(members(written(shown))).isEqualTo(description.members("StateChanged"));
        assertThat(description.violations("StateChanged", written(shown))).isEmpty();
        assertThat(description.violations("StateChanged", valid("StateChanged", state)))
                .isEmpty();
        Set<String> ended = members(valid("ToolEnded", gave, NESTED));
        assertThat(ended).contains("result", "attempts").doesNotContain("error");
        assertThat(members(valid("ToolEnded", failed)))
                .doesNotContain("attempts", "backendMillis", "node", "capability", "execution");
        ended.addAll(members(valid("ToolEnded", failed)));
        assertThat(ended).isEqualTo(description.members("ToolEnded"));
        assertThat(members(written(ExecutionMapper.event(failed, CapabilityCallIndex.NONE))
                        .path("error")))
                .isEqualTo(description.members("ToolError"));
    }

    @Test
    void toolsHaveTheDescribedMembers() {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("demo", "demo", "queue"),
                List.of(new ToolSpec(ADD, "Adds.", new Json("{\"type\":\"object\"}"), ToolHints.READ_ONLY)));

        JsonNode json = written(ExecutionMapper.tool(catalog.all().get(0), "demo.add"));

        assertThat(description.violations("Tool", json)).isEmpty();
        assertThat(members(json)).isEqualTo(description.required("Tool"));

        catalog.putNamed(
                new CatalogBackend("demo", "demo", "queue"),
                List.of(new NamedTool(
                        new ToolSpec(
                                ADD,
                                "Adds.",
                                new Json("{}"),
                                Optional.of(new Json("{\"type\":\"number\"}")),
                                ToolHints.READ_ONLY),
                        "add",
                        "add",
                        Optional.of("it is too new"))));
        JsonNode unusable = written(ExecutionMapper.tool(catalog.all().get(0), "demo.add"));
        assertThat(description.violations("Tool", unusable)).isEmpty();
        Set<String> described = members(unusable);

        catalog.put(
                new CatalogBackend("demo", "demo", "queue"),
                List.of(new ToolSpec(
                        ADD,
                        "Adds.",
                        new Json("{\"type\":\"object\"}"),
                        Optional.of(new Json("{\"$schema\":\"https://example.com/dialect\"}")),
                        ToolHints.READ_ONLY)));
        JsonNode unread = written(ExecutionMapper.tool(catalog.all().get(0), "demo.add"));
        assertThat(description.violations("Tool", unread)).isEmpty();
        assertThat(unread.path("outputSchemaProblem").asText()).contains("https://example.com/dialect");
        described.addAll(members(unread));
        assertThat(described).isEqualTo(description.members("Tool"));
    }

    @ParameterizedTest
    @EnumSource(value = ScriptLanguage.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
    void languagesAreInLowerCase(ScriptLanguage language) {
        assertThat(description.values("ScriptLanguage"))
                .contains(language.name().toLowerCase(Locale.ROOT));
    }

    @Test
    void statesMatchTheDescription() {
        assertThat(description.values("ExecutionState"))
                .containsExactlyElementsOf(
                        Arrays.stream(ExecutionState.values()).map(Enum::name).toList());
    }

    @Test
    void errorOriginsMatchTheDescription() {
        assertThat(description.schema("ExecutionError").at("/properties/culprit/enum"))
                .extracting(JsonNode::textValue)
                .containsExactlyElementsOf(Arrays.stream(ErrorOrigin.values())
                        .map(culprit -> culprit.name().toLowerCase(Locale.ROOT))
                        .toList());
    }

    @Test
    void errorCodesMatchTheDescription() {
        assertThat(codes("ExecutionError"))
                .isEqualTo(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::code).collect(Collectors.toSet()));
        assertThat(codes("ToolError"))
                .isEqualTo(Arrays.stream(ToolErrorCode.values())
                        .map(ToolErrorCode::code)
                        .collect(Collectors.toSet()));
    }

    private Set<String> codes(String schema) {
        String text =
                description.schema(schema).at("/properties/code/description").textValue();
        return Pattern.compile("`([a-z-]+)`")
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toSet());
    }

    /**
     * A call in the form of a capability call counts as one, also if it fails: the bridge sends it to no other backend.
     */
    @ParameterizedTest
    @ValueSource(strings = {"shop.fees", "no.such", "x", "a.b.c"})
    void capabilityCallsHaveTheirOwnEventTypes(String name) {
        ToolName tool = new ToolName("capabilities", name);
        JsonNode start = valid("ToolStarted", new TraceEvent.ToolStarted(1, CREATED, 1, tool, Json.NULL));
        JsonNode end = valid("ToolEnded", ended(tool));
        assertThat(start.path("type").asText()).isEqualTo("capability_start");
        assertThat(end.path("type").asText()).isEqualTo("capability_end");
        assertThat(members(start)).doesNotContain("capability", "execution");
        assertThat(members(end)).doesNotContain("capability", "execution");
    }

    /** The name in the script does not matter: the named backend does not exist, and a capability answered. */
    @Test
    void callWithNestedExecutionIsACapabilityCallAndNamesIt() {
        ToolName tool = new ToolName("shop", "fees");
        for (JsonNode event : List.of(
                valid("ToolStarted", new TraceEvent.ToolStarted(1, CREATED, 1, tool, Json.NULL), NESTED),
                valid("ToolEnded", ended(tool), NESTED))) {
            assertThat(event.path("type").asText()).startsWith("capability_");
            assertThat(event.path("tool").asText()).isEqualTo("shop.fees");
            assertThat(event.path("capability").asText()).isEqualTo("shop.fees@1.0.0");
            assertThat(event.path("execution").asText()).isEqualTo(ID.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "demo, capabilities.shop.fees",
        "Capabilities, shop.fees",
        "capabilities-x, shop.fees",
        "capabilitie, s.shop.fees",
        "'', capabilities.shop.fees",
        "$sallyport, capabilities.shop.fees"
    })
    void nameSimilarToACapabilityIsAnOrdinaryToolCall(String backend, String name) {
        ToolName tool = new ToolName(backend, name);
        CapabilityCallIndex ofAnother = new CapabilityCallIndex(Map.of(2L, RUN));
        JsonNode start = valid("ToolStarted", new TraceEvent.ToolStarted(1, CREATED, 1, tool, Json.NULL), ofAnother);
        JsonNode end = valid("ToolEnded", ended(tool), ofAnother);
        assertThat(start.path("type").asText()).isEqualTo("tool_start");
        assertThat(end.path("type").asText()).isEqualTo("tool_end");
        assertThat(members(start)).doesNotContain("capability", "execution");
    }

    private static TraceEvent.ToolEnded ended(ToolName tool) {
        return new TraceEvent.ToolEnded(2, CREATED, 1, tool, 5, 1, Optional.of(Json.NULL), Optional.empty());
    }

    private JsonNode valid(String schema, TraceEvent event) {
        return valid(schema, event, CapabilityCallIndex.NONE);
    }

    private JsonNode valid(String schema, TraceEvent event, CapabilityCallIndex nested) {
        JsonNode json = written(ExecutionMapper.event(event, nested));
        assertThat(description.violations(schema, json)).isEmpty();
        assertThat(description.violations("TraceEvent", json)).isEmpty();
        return json;
    }

    private static JsonNode full(ExecutionState state, boolean cancelRequested) {
        ObjectNode json = ExecutionMapper.execution(
                fullExecution(state, cancelRequested),
                new ExecutionMapper.ExecutionOutput("hello", "\ud83d"),
                OptionalLong.of(1));
        json.set("callback", CallbackMapper.callback(CALLBACK));
        return written(json);
    }

    private static Execution cancelledExecution() {
        return fullExecution(ExecutionState.CANCELLED, true);
    }

    private static Execution fullExecution(ExecutionState state, boolean cancelRequested) {
        ExecutionError error = new ExecutionError(
                "tool-failed", ErrorOrigin.TOOL, "no", 3, 7, "at main (script:3:7)", Optional.of("demo.fail"), 4);
        return new Execution(
                summary(state, true),
                new Json("{\"a\":[1,null]}"),
                LIMITS,
                List.of("demo.*"),
                Optional.of("why"),
                Durability.JOURNAL,
                cancelRequested,
                Optional.of(new Json("42")),
                Optional.of(error),
                5,
                3,
                true,
                Optional.of(new ExecutionProgress(250, "a quarter")),
                Optional.of(new Suspension("timer", CREATED, CREATED)),
                switch (state) {
                    case RUNNING -> new EffectMode.ApprovedPlan(ID, "key-1");
                    case WAITING -> EffectMode.READ_ONLY;
                    default -> new EffectMode.DryRun(Json.EMPTY_OBJECT);
                },
                Optional.empty(),
                TraceContext.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", null),
                Optional.of("fees.add"),
                Optional.of(ID),
                Optional.of(Cost.of("2.5")),
                new AdmissionConstraints(
                        Optional.of(CREATED),
                        Optional.empty(),
                        Optional.of(CREATED),
                        Optional.of("mail"),
                        Optional.of(new RetryPolicy(
                                3, Duration.ofSeconds(1), Duration.ofMinutes(1), Set.of("timeout"), true))),
                Optional.of(new StoredCancelRequest(CancelRequest.by("key-1", Optional.of("wrong data")), CREATED)),
                Optional.of(new RetryPolicy.RetryStatus(
                        2,
                        Optional.of(ID),
                        Optional.of(ID),
                        Optional.of(ID),
                        Optional.of(RetryPolicy.RetryStop.WRITES))),
                new BlockedAttempts(List.of(
                        new BlockedAttemptCount(BlockedAttemptKind.GLOBAL, "fetch", 2),
                        new BlockedAttemptCount(BlockedAttemptKind.TOOL, "", 3))));
    }

    private static ExecutionSummary summary(ExecutionState state, boolean ended) {
        return new ExecutionSummary(
                ID,
                "default",
                "key-1",
                state,
                ScriptLanguage.TYPESCRIPT,
                ScriptTier.SANDBOX,
                "return 1",
                4,
                ended ? 1 : 0,
                Map.of("team", "research"),
                ended ? Optional.of("script-error") : Optional.empty(),
                CREATED,
                ended ? Optional.of(CREATED.plusMillis(16)) : Optional.empty(),
                ended ? Optional.of(CREATED.plusMillis(30)) : Optional.empty(),
                ended ? Optional.of(ID) : Optional.empty(),
                ended ? Optional.of(new BatchId(ID.value())) : Optional.empty(),
                ended ? Optional.of(new CapabilityRef("fees", "1.0.0")) : Optional.empty(),
                ended ? Optional.of(ID) : Optional.empty(),
                ended ? Optional.of("fees.add") : Optional.empty(),
                ended ? Optional.of(ID.value()) : Optional.empty());
    }

    private static JsonNode written(ObjectNode json) {
        return ApiDescription.roundTrip(json);
    }

    private static Set<String> members(JsonNode json) {
        Set<String> members = new TreeSet<>();
        json.fieldNames().forEachRemaining(members::add);
        return members;
    }
}
