package org.sallyport.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Question;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.batch.BatchAcceptance;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewItem;
import org.sallyport.batch.OnFailure;
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.AnExecution;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilityUse;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Pause;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Reuse;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.OutputChunk;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Charge;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.TraceContext;

/** What retention must delete, and what it must not. Each test finds the database empty. */
abstract class RetentionContract {
    private static final String TENANT = "tenant-a";
    private static final Duration DAY = Duration.ofDays(1);

    abstract TestDatabase database();

    private JpaFinishedExecutions finished() {
        return new JpaFinishedExecutions(database().database());
    }

    private ExecutionStore store() {
        return new JpaExecutionStore(database().database(), Duration.ofHours(1));
    }

    private Journal journal() {
        return new JpaJournal(database().database());
    }

    private ExecutionId accepted(AnExecution execution) {
        NewExecution built = execution.build();
        assertThat(store().accept(built)).isEqualTo(new Acceptance.Stored(built.id()));
        return built.id();
    }

    private Fence running(AnExecution execution) {
        return store().claim(accepted(execution), "node.1").orElseThrow().fence();
    }

    private ExecutionId ended(AnExecution execution) {
        return end(running(execution), new Outcome.Completed(Json.NULL));
    }

    private ExecutionId end(Fence fence, Outcome outcome) {
        assertThat(journal().finish(fence, outcome, Entries.NONE)).isPresent();
        return fence.id();
    }

    private boolean kept(ExecutionId id) {
        return store().find(TENANT, id).isPresent();
    }

    /** Moves the end of an execution into the past. */
    private void age(ExecutionId id, Duration age) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement statement = connection.prepareStatement(
                        "update execution set finished_at = finished_at"
                                + " - cast(? as bigint) * interval '1' second, next_check_at = next_check_at - cast(? as bigint) * interval '1' second where id = ?")) {
            statement.setLong(1, age.toSeconds());
            statement.setLong(2, age.toSeconds());
            statement.setObject(3, id.value());
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    private NewBatch batchOf(NewExecution execution, String key) throws SQLException {
        NewBatch batch = new NewBatch(
                new BatchId(UUID.randomUUID()),
                TENANT,
                "anna",
                Optional.empty(),
                OnFailure.CONTINUE,
                Optional.empty(),
                Optional.of(new Idempotency(key, "hash")));
        assertThat(batches()
                        .accept(
                                batch,
                                List.<NewItem>of(new NewItem.Runs(execution)).iterator()))
                .isEqualTo(new BatchAcceptance.Stored());
        try (Connection connection = database().connect();
                PreparedStatement statement = connection.prepareStatement(
                        "update batch set created_at = created_at - interval '3' day where id = ?")) {
            statement.setObject(1, batch.id().value());
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
        return batch;
    }

    private JpaBatchStore batches() {
        return new JpaBatchStore(database().database(), Duration.ofHours(1));
    }

    @Test
    void aBatchOfWhichNothingIsLeftGoesWithItsKey() throws SQLException {
        NewExecution old = anExecution().build();
        NewExecution young = anExecution().build();
        NewBatch gone = batchOf(old, "gone");
        NewBatch kept = batchOf(young, "kept");
        store().cancel(TENANT, old.id());
        store().cancel(TENANT, young.id());
        age(old.id(), DAY.plusHours(1));

        purgeAll();

        assertThat(batches().find(TENANT, gone.id())).isEmpty();
        assertThat(batches().items(gone.id(), -1, 10)).isEmpty();
        assertThat(batches().earlier(TENANT, new Idempotency("gone", "hash"))).isEmpty();
        assertThat(batches().find(TENANT, kept.id())).isPresent();
        assertThat(batches().items(kept.id(), -1, 10)).hasSize(1);
        assertThat(batches().earlier(TENANT, new Idempotency("kept", "hash"))).isPresent();
    }

    private void purgeAll() {
        while (finished().purge(DAY, 10)) {}
    }

    @Test
    void whatEndedLongAgoIsDeletedHoweverItEnded() throws SQLException {
        ExecutionError error = ExecutionError.of(ErrorCode.SCRIPT_ERROR, "x");
        ExecutionId cancelled = accepted(anExecution());
        store().cancel(TENANT, cancelled);
        ExecutionId unheard = accepted(anExecution());
        store().failPending(new Fence(unheard, 0), error);
        List<ExecutionId> ended = List.of(
                ended(anExecution()),
                end(running(anExecution()), new Outcome.Failed(error)),
                end(running(anExecution()), new Outcome.TimedOut(error)),
                end(running(anExecution()), new Outcome.Cancelled()),
                cancelled,
                unheard);
        ExecutionId young = ended(anExecution());
        for (ExecutionId id : ended) {
            age(id, DAY.plusHours(1));
        }
        age(young, DAY.minusHours(1));

        purgeAll();

        assertThat(ended).noneMatch(this::kept);
        assertThat(kept(young)).isTrue();
    }

    @Test
    void whatHasNotEndedIsNeverDeletedHoweverOldItIs() throws SQLException {
        ExecutionId pending = accepted(anExecution());
        ExecutionId running = running(anExecution()).id();
        Fence parking = running(anExecution());
        journal().park(parking, Entries.NONE, Parking.until(Pause.Reason.TIMER, Duration.ofHours(1)));
        for (ExecutionId id : List.of(pending, running, parking.id())) {
            age(id, Duration.ofDays(400));
        }

        purgeAll();

        assertThat(List.of(pending, running, parking.id())).allMatch(this::kept);
    }

    @Test
    void nothingThatItOwnedIsLeftAndNothingOfOthersIsGone() throws SQLException {
        ExecutionId old = endedWithEverything("old");
        ExecutionId young = endedWithEverything("young");
        List<Long> before = counts(young);
        assertThat(counts(old)).isEqualTo(before).allMatch(rows -> rows > 0);
        age(old, DAY.plusHours(1));

        purgeAll();

        assertThat(counts(old)).containsOnly(0L);
        assertThat(counts(young)).isEqualTo(before);
        NewExecution again = anExecution().idempotency("key of old", "hash").build();
        assertThat(store().accept(again)).isEqualTo(new Acceptance.Stored(again.id()));
        assertThat(store().accept(anExecution()
                        .idempotency("key of young", "hash")
                        .build()))
                .isEqualTo(new Acceptance.Replayed(young));
    }

    private void ask(Fence fence) {
        JpaApprovalStore approvals = new JpaApprovalStore(database().database(), UUID::randomUUID);
        Approval approval = approvals.ask(new Question(
                fence.id(),
                1,
                ApprovalKind.CALL,
                0,
                new ToolName("b", "t"),
                Json.EMPTY_OBJECT,
                "r",
                new Terms(2, DAY, Terms.AtExpiry.DENY, "")));
        approvals.vote(TENANT, approval.id(), new Ballot("anna", true, false, Optional.empty(), Optional.empty(), ""));
        new JpaApprovalLinkStore(database().database())
                .add(
                        new ApprovalLink(
                                UUID.randomUUID(),
                                TENANT,
                                approval.id(),
                                "",
                                new ApprovalLink.Maker("anna", Optional.empty()),
                                approval.expiresAt(),
                                false),
                        20,
                        100);
    }

    private ExecutionId endedWithEverything(String name) throws SQLException {
        Fence fence = running(anExecution()
                .idempotency("key of " + name, "hash")
                .reuse(Reuse.NONE.keyed("sha256-1"))
                .labels(Map.of("name", name))
                .trace(TraceContext.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", null)
                        .orElseThrow())
                .capability(new CapabilityUse(new CapabilityRef("fees", "1.0.0"), Optional.empty())));
        new JpaArtifactStore(database().database())
                .write(
                        fence,
                        "report",
                        new ArtifactContent(Artifact.Kind.TEXT, "text/plain", name.getBytes(StandardCharsets.UTF_8)));
        ask(fence);
        new JpaSpendingStore(database().database())
                .charge(new Charge(fence, 1, new ToolName("b", "t"), Cost.of("1")), List.of());
        Entries entries = new Entries(
                List.of(new TraceEvent.StateChanged(1, java.time.Instant.EPOCH, ExecutionState.RUNNING, 1)),
                List.of(new OutputChunk(OutputKind.OUT, 0, "printed")),
                false,
                Optional.empty());
        assertThat(journal().finish(fence, new Outcome.Completed(Json.NULL), entries))
                .isPresent();
        try (Connection connection = database().connect();
                PreparedStatement letter =
                        connection.prepareStatement("insert into dead_letter (execution_id, tenant) values (?, ?)")) {
            letter.setObject(1, fence.id().value());
            letter.setString(2, TENANT);
            letter.executeUpdate();
        }
        try (Connection connection = database().connect();
                PreparedStatement run = connection.prepareStatement(
                        "insert into schedule_run (execution_id, schedule_id, open) values (?, ?, false)")) {
            run.setObject(1, fence.id().value());
            run.setObject(2, UUID.randomUUID());
            run.executeUpdate();
        }
        try (Connection connection = database().connect();
                PreparedStatement callback = connection.prepareStatement(
                        "insert into callback (execution_id, tenant, url, host) values (?, ?, 'u', 'h')")) {
            callback.setObject(1, fence.id().value());
            callback.setString(2, TENANT);
            callback.executeUpdate();
        }
        for (String nested : List.of(
                "insert into nested_run (execution_id, parent_id, call_ordinal, root_id, depth, path)"
                        + " values (?, ?, 1, ?, 1, '')",
                "insert into nested_open (execution_id, parent_id) values (?, ?)")) {
            try (Connection connection = database().connect();
                    PreparedStatement row = connection.prepareStatement(nested)) {
                UUID parent = UUID.randomUUID();
                row.setObject(1, fence.id().value());
                row.setObject(2, parent);
                if (nested.contains("root_id")) {
                    row.setObject(3, parent);
                }
                row.executeUpdate();
            }
        }
        return fence.id();
    }

    /** Rows of an execution, by table that it owns rows in. */
    private List<Long> counts(ExecutionId id) throws SQLException {
        List<Long> counts = new ArrayList<>();
        try (Connection connection = database().connect()) {
            for (String table : JpaFinishedExecutions.OWNED) {
                try (PreparedStatement count =
                        connection.prepareStatement("select count(*) from " + table + " where execution_id = ?")) {
                    count.setObject(1, id.value());
                    try (ResultSet row = count.executeQuery()) {
                        row.next();
                        counts.add(row.getLong(1));
                    }
                }
            }
        }
        return counts;
    }

    @Test
    void everyTableOfExecutionsIsKnown() throws SQLException {
        Set<String> tables = new TreeSet<>();
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select table_name from information_schema.columns"
                        + " where lower(column_name) = 'execution_id' and lower(table_schema) = 'public'")) {
            while (row.next()) {
                tables.add(row.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        assertThat(JpaFinishedExecutions.OWNED)
                .as(
                        "a table with the column execution_id is deleted from with its execution, or is the tenant's or a batch's")
                .containsExactlyInAnyOrderElementsOf(tables.stream()
                        // What has ended waits for nothing, and what is left of its times and turns goes with it.
                        .filter(table -> !Set.of(
                                        "event",
                                        "batch_item",
                                        "event_wait",
                                        "tool_wait",
                                        "execution_alarm",
                                        "concurrency_turn")
                                .contains(table))
                        .collect(Collectors.toSet()));
    }

    @Test
    void whatIsRepeatedIsKeptUntilThatHasEnded() throws SQLException {
        ExecutionId original = ended(anExecution());
        ExecutionId other = ended(anExecution());
        age(original, DAY.plusHours(1));
        age(other, DAY.plusHours(1));
        Fence again = running(anExecution().rerun(new Rerun(original, Rerun.Mode.OFFLINE, 1, false)));

        purgeAll();
        assertThat(kept(original)).isTrue();
        assertThat(kept(other)).isFalse();

        end(again, new Outcome.Completed(Json.NULL));
        purgeAll();
        assertThat(kept(original)).isFalse();
        assertThat(store().find(TENANT, again.id()).orElseThrow().summary().rerunOf())
                .contains(original);
    }

    @Test
    void theOldestGoFirstAndNoMoreThanAskedFor() throws SQLException {
        List<ExecutionId> ids = IntStream.range(0, 5)
                .mapToObj(any -> ended(anExecution()))
                .collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(ids, new java.util.Random(7));
        for (int i = 0; i < ids.size(); i++) {
            age(ids.get(i), DAY.plusHours(10 - i));
        }

        assertThat(finished().purge(DAY, 2)).isTrue();
        assertThat(ids.stream().map(this::kept)).containsExactly(false, false, true, true, true);
        assertThat(finished().purge(DAY, 4)).isFalse();
        assertThat(ids).noneMatch(this::kept);
    }

    @Test
    void oneThatOwnsMuchGoesAlone() throws SQLException {
        List<ExecutionId> ids =
                IntStream.range(0, 3).mapToObj(any -> ended(anExecution())).toList();
        for (int i = 0; i < ids.size(); i++) {
            age(ids.get(i), DAY.plusHours(10 - i));
            try (Connection connection = database().connect();
                    PreparedStatement statement =
                            connection.prepareStatement("update execution set last_seq = ? where id = ?")) {
                statement.setLong(1, i == 2 ? 9 : 11_000);
                statement.setObject(2, ids.get(i).value());
                statement.executeUpdate();
            }
        }

        assertThat(finished().purge(DAY, 100)).isTrue();
        assertThat(ids.stream().map(this::kept)).containsExactly(false, true, true);
        assertThat(finished().purge(DAY, 100)).isTrue();
        assertThat(finished().purge(DAY, 100)).isFalse();
        assertThat(ids).noneMatch(this::kept);
    }

    @Test
    void manyNodesAtOnceDeleteEachOnce() throws Exception {
        List<ExecutionId> ids =
                IntStream.range(0, 60).mapToObj(any -> ended(anExecution())).toList();
        for (ExecutionId id : ids) {
            age(id, DAY.plusHours(1));
        }

        Together.run(4, node -> {
            purgeAll();
            return node;
        });
        purgeAll();

        assertThat(ids).noneMatch(this::kept);
    }
}
