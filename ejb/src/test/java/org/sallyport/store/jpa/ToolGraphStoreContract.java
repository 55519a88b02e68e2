package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.toolgraph.ToolGraph;
import org.sallyport.toolgraph.ToolGraphStore;
import org.sallyport.toolgraph.WeekBucket;

/** Contract of {@link ToolGraphStore}, for every implementation. Each test starts with an empty database. */
abstract class ToolGraphStoreContract {
    private static final String TENANT = "tenant-a";
    private static final ToolGraphStore.IngestLimits ALL =
            new ToolGraphStore.IngestLimits(Duration.ZERO, 100, 10_000, 13);
    private static final BinaryOperator<String> NO_REDACTION = (tenant, intent) -> intent;
    private static final int LONG_AGO = 0;

    abstract TestDatabase database();

    private ToolGraphStore graphs() {
        return new JpaToolGraphStore(database().database());
    }

    private ExecutionStore store() {
        return new JpaExecutionStore(database().database(), Duration.ofHours(1));
    }

    private Journal journal() {
        return new JpaJournal(database().database());
    }

    private FencingToken startExecution(NewExecutionBuilder execution) {
        NewExecution built = execution.build();
        store().insert(built);
        return store().claim(built.id(), "node.1").orElseThrow().fence();
    }

    private static List<TraceEvent> call(long call, String tool, long millis, Optional<ToolErrorCode> error) {
        ToolName name = ToolName.parse(tool);
        Instant at = Instant.parse("2026-10-25T01:30:00Z");
        return List.of(
                new TraceEvent.ToolStarted(2 * call - 1, at, call, name, new Json("{\"secret\":\"arguments\"}")),
                new TraceEvent.ToolEnded(
                        2 * call,
                        at,
                        call,
                        name,
                        millis,
                        1,
                        error.isEmpty() ? Optional.of(new Json("\"result\"")) : Optional.empty(),
                        error.map(code -> new ToolError(code, "message", Optional.empty()))));
    }

    /** Finishes an execution that made these calls, one after the other, of 10 ms each. */
    private ExecutionId finishExecution(NewExecutionBuilder execution, String... tools) {
        List<TraceEvent> events = new ArrayList<>();
        for (String tool : tools) {
            events.addAll(call(events.size() / 2 + 1, tool, 10, Optional.empty()));
        }
        return finishExecution(execution, events);
    }

    private ExecutionId finishExecution(NewExecutionBuilder execution, List<TraceEvent> events) {
        FencingToken fence = startExecution(execution);
        assertThat(journal()
                        .finish(
                                fence,
                                new ExecutionOutcome.ExecutionCompleted(Json.NULL),
                                new JournalBatch(events, List.of(), false)))
                .isPresent();
        return fence.id();
    }

    private void learnAll() {
        for (int i = 0; i < 100; i++) {
            if (!graphs().ingest(ALL, NO_REDACTION)) {
                return;
            }
        }
        throw new AssertionError("there is no end of it");
    }

    private ToolGraph graph() {
        return graphs().read(TENANT, LONG_AGO);
    }

    private static List<String> calls(ToolGraph graph) {
        return graph.nodes().stream()
                .map(node -> node.tool() + " " + node.calls())
                .toList();
    }

    private static List<String> follows(ToolGraph graph) {
        return graph.edges().stream()
                .map(edge -> edge.from() + " " + edge.to() + " " + edge.calls())
                .toList();
    }

    @Test
    void endedExecutionIsLearnedAndItsCallsCounted() {
        finishExecution(anExecution().intent("Send the monthly invoice"), "mail.find", "mail.send", "mail.send");
        finishExecution(
                anExecution(),
                List.of(
                        call(1, "mail.find", 30, Optional.empty()).get(0),
                        call(1, "mail.find", 30, Optional.of(ToolErrorCode.TOOL_FAILED))
                                .get(1)));
        learnAll();

        ToolGraph graph = graph();
        assertThat(calls(graph)).containsExactly("mail.find 2", "mail.send 2");
        ToolGraph.ToolNode find = graph.findNode("mail.find").orElseThrow();
        assertThat(find.failures()).isEqualTo(1);
        assertThat(find.successRate()).isEqualTo(0.5);
        assertThat(find.meanMillis()).isEqualTo(20);
        assertThat(find.firstCalls()).isEqualTo(2);
        assertThat(Duration.between(find.lastUsedAt(), Instant.now())).isLessThan(Duration.ofMinutes(10));
        assertThat(follows(graph)).containsExactly("mail.find mail.send 1", "mail.send mail.send 1");
        assertThat(graph.toolIntents())
                .containsExactlyInAnyOrder(
                        new ToolGraph.ToolIntent("send", "mail.find", 1),
                        new ToolGraph.ToolIntent("monthly", "mail.find", 1),
                        new ToolGraph.ToolIntent("invoice", "mail.find", 1),
                        new ToolGraph.ToolIntent("send", "mail.send", 1),
                        new ToolGraph.ToolIntent("monthly", "mail.send", 1),
                        new ToolGraph.ToolIntent("invoice", "mail.send", 1));
    }

    @Test
    void eachExecutionIsLearnedOnceAcrossRepeatedPolls() {
        learnAll();
        finishExecution(anExecution(), "a.x", "a.y");
        learnAll();
        learnAll();
        assertThat(calls(graph())).containsExactly("a.x 1", "a.y 1");
        FencingToken live = startExecution(anExecution());
        IntStream.range(0, 7).forEach(i -> finishExecution(anExecution(), "a.x"));
        ToolGraphStore.IngestLimits small = new ToolGraphStore.IngestLimits(Duration.ZERO, 3, 10_000, 13);
        int steps = 0;
        while (graphs().ingest(small, NO_REDACTION)) {
            steps++;
        }
        assertThat(steps).isEqualTo(3);
        assertThat(calls(graph())).containsExactly("a.x 8", "a.y 1");
        // This execution started before all the others and ends after them.
        journal()
                .finish(
                        live,
                        new ExecutionOutcome.ExecutionCompleted(Json.NULL),
                        new JournalBatch(call(1, "a.y", 1, Optional.empty()), List.of(), false));
        learnAll();
        assertThat(calls(graph())).containsExactly("a.x 8", "a.y 2");
    }

    @Test
    void executionIsLearnedInEveryTerminalState() {
        finishExecution(anExecution(), "a.completed");
        FencingToken cancelled = startExecution(anExecution());
        journal().append(cancelled, new JournalBatch(call(1, "a.cancelled", 1, Optional.empty()), List.of(), false));
        assertThat(journal().finish(cancelled, new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE))
                .isPresent();
        FencingToken late = startExecution(anExecution());
        journal().append(late, new JournalBatch(call(1, "a.late", 1, Optional.empty()), List.of(), false));
        assertThat(journal()
                        .finish(
                                late,
                                new ExecutionOutcome.ExecutionTimedOut(
                                        ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "late")),
                                JournalBatch.NONE))
                .isPresent();
        learnAll();
        assertThat(calls(graph())).containsExactly("a.cancelled 1", "a.completed 1", "a.late 1");
    }

    @Test
    void failedIngestIsRepeatedWithoutDuplicates() throws SQLException {
        learnAll();
        finishExecution(anExecution(), "a.first", "a.most", "a.second");
        // One more call overflows the column: this statement fails after other statements of the transaction have
        // succeeded.
        int week = WeekBucket.of(Instant.now());
        insertUsage("a.most", week, Long.MAX_VALUE);
        assertThatThrownBy(this::learnAll).isInstanceOf(RuntimeException.class);
        assertThat(calls(graph())).containsExactly("a.most " + Long.MAX_VALUE);
        execute("delete from tool_graph_tool");
        learnAll();
        assertThat(calls(graph())).containsExactly("a.first 1", "a.most 1", "a.second 1");
        assertThat(follows(graph())).containsExactly("a.first a.most 1", "a.most a.second 1");
    }

    @Test
    void concurrentNodesLearnEachExecutionOnce() throws Exception {
        IntStream.range(0, 40).forEach(i -> finishExecution(anExecution(), "a.x", "a.y"));
        ToolGraphStore.IngestLimits one = new ToolGraphStore.IngestLimits(Duration.ZERO, 1, 10_000, 13);
        ConcurrencyTestUtil.runConcurrently(4, node -> {
            for (int step = 0; step < 50; step++) {
                graphs().ingest(one, NO_REDACTION);
            }
            return node;
        });
        learnAll();
        assertThat(calls(graph())).containsExactly("a.x 40", "a.y 40");
        assertThat(follows(graph())).containsExactly("a.x a.y 40");
    }

    @Test
    void recentExecutionIsLearnedLaterAndAnOldOneIsSkipped() throws SQLException {
        ExecutionId id = finishExecution(anExecution(), "a.x");
        learnAllOf(new ToolGraphStore.IngestLimits(Duration.ofHours(1), 100, 10_000, 13));
        assertThat(graph().nodes()).isEmpty();
        database().backdate("execution", "next_check_at", id.value(), Duration.ofDays(8 * 7));
        learnAllOf(new ToolGraphStore.IngestLimits(Duration.ofHours(1), 100, 10_000, 3));
        assertThat(graph().nodes()).isEmpty();
        learnAllOf(new ToolGraphStore.IngestLimits(Duration.ofHours(1), 100, 10_000, 13));
        assertThat(calls(graph())).containsExactly("a.x 1");
        int week = WeekBucket.of(Instant.now().minus(Duration.ofDays(8 * 7)));
        assertThat(graphs().read(TENANT, week).nodes()).hasSize(1);
        assertThat(graphs().read(TENANT, week + 1)).isEqualTo(ToolGraph.EMPTY);
    }

    private void learnAllOf(ToolGraphStore.IngestLimits stride) {
        for (int i = 0; i < 100 && graphs().ingest(stride, NO_REDACTION); i++) {
            // Continue until everything is ingested.
        }
    }

    @Test
    void ingestHandlesLongGapsAndManySimultaneousEnds() throws SQLException {
        for (int days : new int[] {40, 40, 40, 40, 40, 3, 3, 1}) {
            ExecutionId id = finishExecution(anExecution(), "a.x");
            try (Connection connection = database().connect();
                    PreparedStatement update =
                            connection.prepareStatement("update execution set next_check_at = ? where id = ?")) {
                update.setObject(
                        1,
                        LocalDate.now(ZoneOffset.UTC)
                                .minusDays(days)
                                .atStartOfDay()
                                .atOffset(ZoneOffset.UTC));
                update.setObject(2, id.value());
                update.executeUpdate();
            }
        }
        finishExecution(anExecution(), "a.x");
        learnAllOf(new ToolGraphStore.IngestLimits(Duration.ZERO, 2, 10_000, 13));
        assertThat(calls(graph())).containsExactly("a.x 9");
    }

    @Test
    void tenantsHaveSeparateGraphs() {
        finishExecution(anExecution().tenant("tenant-b").intent("invoice"), "b.x", "b.y");
        finishExecution(anExecution(), "a.x");
        learnAll();
        assertThat(calls(graph())).containsExactly("a.x 1");
        assertThat(graph().edges()).isEmpty();
        assertThat(graph().toolIntents()).isEmpty();
        assertThat(calls(graphs().read("tenant-b", LONG_AGO))).containsExactly("b.x 1", "b.y 1");
        assertThat(graphs().read("tenant", LONG_AGO)).isEqualTo(ToolGraph.EMPTY);
    }

    @Test
    void mockedRefusedAndDryRunCallsAreNotLearned() {
        finishExecution(anExecution().effects(new EffectMode.DryRun(new Json("{}"))), "a.dry");
        finishExecution(
                anExecution()
                        .effects(new EffectMode.ApprovedPlan(
                                ExecutionId.parse("018f0000-0000-7000-8000-000000000000")
                                        .orElseThrow(),
                                "key")),
                "a.planned");
        ToolName mocked = ToolName.parse("a.mocked");
        Instant at = Instant.parse("2026-10-25T01:30:00Z");
        finishExecution(
                anExecution(),
                List.of(
                        new TraceEvent.ToolStarted(1, at, 1, mocked, Json.NULL),
                        new TraceEvent.PolicyDecided(2, at, 1, mocked, "rule", "mock"),
                        new TraceEvent.ToolEnded(3, at, 1, mocked, 1, 0, Optional.of(Json.NULL), Optional.empty())));
        finishExecution(
                anExecution(),
                List.of(
                        new TraceEvent.ToolStarted(1, at, 1, mocked, Json.NULL, true),
                        new TraceEvent.ToolEnded(
                                2, at, 1, mocked, 1, 0, Optional.of(Json.NULL), Optional.empty(), true, 1)));
        finishExecution(anExecution(), call(1, "a.none", 1, Optional.of(ToolErrorCode.TOOL_NOT_FOUND)));
        learnAll();
        assertThat(calls(graph())).containsExactly("a.planned 1");
    }

    @Test
    void unusualToolNamesRoundTrip() {
        String strange = "a.\u0000\uD800\u001A\uD83D\uDE00'";
        finishExecution(anExecution().tenant("t\u0000"), strange, strange);
        finishExecution(anExecution().tenant("t\u0000"), "a." + "x".repeat(1_000));
        learnAll();
        ToolGraph graph = graphs().read("t\u0000", LONG_AGO);
        assertThat(calls(graph)).containsExactly(strange + " 2");
        assertThat(graph.edges()).containsExactly(new ToolGraph.ToolEdge(strange, strange, 1, 0));
    }

    @Test
    void intentIsStoredRedacted() {
        finishExecution(anExecution().intent("pay hunter to alice"), "a.x");
        while (graphs().ingest(ALL, (tenant, intent) -> intent.replace("hunter", "[secret]"))) {
            // Continue until everything is ingested.
        }
        assertThat(graph().toolIntents())
                .extracting(ToolGraph.ToolIntent::word)
                .containsExactlyInAnyOrder("pay", "secret", "alice");
    }

    @Test
    void ingestReadsALongTraceOnlyPartly() {
        List<TraceEvent> events = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            events.addAll(call(i, "a.x", 1, Optional.empty()));
        }
        finishExecution(anExecution(), events);
        finishExecution(anExecution(), "a.y");
        ToolGraphStore.IngestLimits narrow = new ToolGraphStore.IngestLimits(Duration.ZERO, 100, 20, 13);
        learnAllOf(narrow);
        assertThat(calls(graph())).containsExactly("a.x 10", "a.y 1");
    }

    @Test
    void leastCalledToolsAreEvictedAtTheLimit() throws SQLException {
        int week = WeekBucket.of(Instant.now());
        try (Connection connection = database().connect();
                PreparedStatement insert = connection.prepareStatement("insert into tool_graph_tool"
                        + " (tenant, week, tool, calls, failures, millis, first_calls, last_at)"
                        + " values ('tenant-a', ?, ?, ?, 0, 0, 0, current_timestamp)")) {
            for (int i = 0; i < ToolGraphStore.MAX_TOOLS; i++) {
                insert.setInt(1, week);
                insert.setString(2, "a.t" + i);
                insert.setLong(3, i + 2);
                insert.executeUpdate();
            }
        }
        finishExecution(anExecution(), "a.new");
        learnAll();
        ToolGraph graph = graph();
        assertThat(graph.nodes()).hasSize(ToolGraphStore.MAX_TOOLS - ToolGraphStore.MAX_TOOLS / 10);
        assertThat(graph.findNode("a.new")).isEmpty();
        assertThat(graph.findNode("a.t0")).isEmpty();
        assertThat(graph.findNode("a.t" + (ToolGraphStore.MAX_TOOLS - 1))).isPresent();
    }

    @Test
    void oldWeeksAreDeletedInBatches() throws SQLException {
        int week = WeekBucket.of(Instant.now());
        insertUsage("a.old", week - 14, 5);
        insertUsage("a.older", week - 20, 5);
        finishExecution(anExecution().intent("invoice"), "a.x", "a.y");
        learnAll();
        int steps = 0;
        while (graphs().deleteBefore(week - 13)) {
            steps++;
        }
        assertThat(steps).isEqualTo(2);
        assertThat(calls(graph())).containsExactly("a.x 1", "a.y 1");
        while (graphs().deleteBefore(week + 1)) {
            steps++;
        }
        assertThat(graph()).isEqualTo(ToolGraph.EMPTY);
    }

    private void insertUsage(String tool, int week, long calls) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement insert = connection.prepareStatement("insert into tool_graph_tool"
                        + " (tenant, week, tool, calls, failures, millis, first_calls, last_at)"
                        + " values ('tenant-a', ?, ?, ?, 0, 0, 0, current_timestamp)")) {
            insert.setInt(1, week);
            insert.setString(2, tool);
            insert.setLong(3, calls);
            insert.executeUpdate();
        }
    }

    private void execute(String text) throws SQLException {
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
