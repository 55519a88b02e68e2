package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

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
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Cost;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.CallCharge;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.TraceContext;

/**
 * Contract of retention: the data that it must delete and the data that it must keep. Each test starts with an empty
 * database.
 */
abstract class ExecutionPurgerContract {
    private static final String TENANT = "tenant-a";
    private static final Duration DAY = Duration.ofDays(1);

    abstract TestDatabase database();

    private JpaExecutionPurger purger() {
        return new JpaExecutionPurger(database().database());
    }

    private ExecutionStore store() {
        return new JpaExecutionStore(database().database(), Duration.ofHours(1));
    }

    private Journal journal() {
        return new JpaJournal(database().database());
    }

    private ExecutionId submit(NewExecutionBuilder execution) {
        NewExecution built = execution.build();
        assertThat(store().insert(built)).isEqualTo(new InsertResult.ExecutionInserted(built.id()));
        return built.id();
    }

    private FencingToken startExecution(NewExecutionBuilder execution) {
        return store().claim(submit(execution), "node.1").orElseThrow().fence();
    }

    private ExecutionId runToCompletion(NewExecutionBuilder execution) {
        return finish(startExecution(execution), new ExecutionOutcome.ExecutionCompleted(Json.NULL));
    }

    private ExecutionId finish(FencingToken fence, ExecutionOutcome outcome) {
        assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).isPresent();
        return fence.id();
    }

    private boolean exists(ExecutionId id) {
        return store().find(TENANT, id).isPresent();
    }

    /** Moves the end of an execution into the past. */
    private void backdateEnd(ExecutionId id, Duration age) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement statement =
                        connection.prepareStatement("update execution set finished_at = finished_at"
                                + " - cast(? as bigint) * interval '1' second, next_check_at = next_check_at - cast(? "
                                + "as bigint) * interval '1' second where id = ?")) {
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
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.of(new IdempotencyKey(key, "hash")));
        assertThat(batches()
                        .insert(
                                batch,
                                List.<NewBatchItem>of(new NewBatchItem.AcceptedBatchItem(execution))
                                        .iterator()))
                .isEqualTo(new BatchInsertResult.BatchInserted());
        try (Connection connection = database().connect();
                PreparedStatement statement = connection.prepareStatement(
                        "update batch set created_at = created_at - interval '3' day where id = ?")) {
            statement.setObject(1, batch.id().value());
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
        return batch;
    }

    private void insertScheduleBatch(NewBatch batch) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement statement = connection.prepareStatement(
                        "insert into schedule_batch (batch_id, schedule_id, active) values (?, ?, false)")) {
            statement.setObject(1, batch.id().value());
            statement.setObject(2, new UUID(7, 7));
            statement.executeUpdate();
        }
    }

    private JpaBatchStore batches() {
        return new JpaBatchStore(database().database(), Duration.ofHours(1));
    }

    @Test
    void batchWithoutExecutionsIsPurgedWithItsKey() throws SQLException {
        NewExecution old = anExecution().build();
        NewExecution young = anExecution().build();
        NewBatch purged = batchOf(old, "gone");
        NewBatch kept = batchOf(young, "kept");
        insertScheduleBatch(purged);
        insertScheduleBatch(kept);
        store().cancel(TENANT, old.id());
        store().cancel(TENANT, young.id());
        backdateEnd(old.id(), DAY.plusHours(1));

        purgeAll();

        assertThat(batches().find(TENANT, purged.id())).isEmpty();
        assertThat(batches().listItems(purged.id(), -1, 10)).isEmpty();
        assertThat(batches().findByIdempotencyKey(TENANT, new IdempotencyKey("gone", "hash")))
                .isEmpty();
        assertThat(batches().find(TENANT, kept.id())).isPresent();
        assertThat(batches().listItems(kept.id(), -1, 10)).hasSize(1);
        assertThat(batches().findByIdempotencyKey(TENANT, new IdempotencyKey("kept", "hash")))
                .isPresent();
    }

    @Test
    void eraseDeletesAllOwnedRowsAndNoOthersOfAnEndedExecution() throws SQLException {
        ExecutionId erased = finishWithAllOwnedRows("erased");
        ExecutionId kept = finishWithAllOwnedRows("kept");
        List<Long> before = countOwnedRows(kept);

        assertThat(store().erase("tenant-b", erased)).isEqualTo(new EraseResult.EraseTargetNotFound());
        assertThat(exists(erased)).isTrue();
        assertThat(store().erase(TENANT, erased)).isEqualTo(new EraseResult.ExecutionErased());

        assertThat(exists(erased)).isFalse();
        assertThat(countOwnedRows(erased)).allMatch(rows -> rows == 0);
        assertThat(countOwnedRows(kept)).isEqualTo(before);
        assertThat(store().erase(TENANT, erased)).isEqualTo(new EraseResult.EraseTargetNotFound());
    }

    @Test
    void liveExecutionAndTheRecordingOfALiveRerunAreNotErased() {
        FencingToken running = startExecution(anExecution());
        assertThat(store().erase(TENANT, running.id()))
                .isEqualTo(new EraseResult.EraseBlocked(running.id(), ExecutionState.RUNNING));
        ExecutionId original = finish(running, new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        ExecutionId rerun =
                submit(anExecution().rerun(new RerunOrigin(original, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(store().erase(TENANT, original))
                .isEqualTo(new EraseResult.EraseBlocked(rerun, ExecutionState.PENDING));
        assertThat(exists(original)).isTrue();
        store().cancel(TENANT, rerun);
        assertThat(store().erase(TENANT, original)).isEqualTo(new EraseResult.ExecutionErased());
        assertThat(exists(rerun)).isTrue();
    }

    @Test
    void itemOfABatchKeepsTheStateOfItsErasedExecution() throws SQLException {
        NewExecution execution = anExecution().build();
        NewBatch batch = batchOf(execution, "erased");
        store().cancel(TENANT, execution.id());

        assertThat(store().erase(TENANT, execution.id())).isEqualTo(new EraseResult.ExecutionErased());

        assertThat(batches().countByState(batch.id())).isEqualTo(Map.of(ExecutionState.CANCELLED, 1));
        assertThat(batches().listItems(batch.id(), -1, 10))
                .singleElement()
                .satisfies(item -> assertThat(item.state()).contains(ExecutionState.CANCELLED));
        assertThat(batches().listUnsuccessfulItems(batch.id(), -1, 10)).hasSize(1);
    }

    private void purgeAll() {
        while (purger().purge(DAY, 10)) {}
    }

    @Test
    void oldEndedExecutionsArePurgedInEveryTerminalState() throws SQLException {
        ExecutionError error = ExecutionError.of(ErrorCode.SCRIPT_ERROR, "x");
        ExecutionId cancelled = submit(anExecution());
        store().cancel(TENANT, cancelled);
        ExecutionId unheard = submit(anExecution());
        store().failPending(new FencingToken(unheard, 0), error);
        List<ExecutionId> ended = List.of(
                runToCompletion(anExecution()),
                finish(startExecution(anExecution()), new ExecutionOutcome.ExecutionFailed(error)),
                finish(startExecution(anExecution()), new ExecutionOutcome.ExecutionTimedOut(error)),
                finish(startExecution(anExecution()), new ExecutionOutcome.ExecutionCancelled()),
                cancelled,
                unheard);
        ExecutionId young = runToCompletion(anExecution());
        for (ExecutionId id : ended) {
            backdateEnd(id, DAY.plusHours(1));
        }
        backdateEnd(young, DAY.minusHours(1));

        purgeAll();

        assertThat(ended).noneMatch(this::exists);
        assertThat(exists(young)).isTrue();
    }

    @Test
    void unfinishedExecutionIsNeverPurged() throws SQLException {
        ExecutionId pending = submit(anExecution());
        ExecutionId running = startExecution(anExecution()).id();
        FencingToken parking = startExecution(anExecution());
        journal()
                .park(
                        parking,
                        JournalBatch.NONE,
                        SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofHours(1)));
        for (ExecutionId id : List.of(pending, running, parking.id())) {
            backdateEnd(id, Duration.ofDays(400));
        }

        purgeAll();

        assertThat(List.of(pending, running, parking.id())).allMatch(this::exists);
    }

    @Test
    void purgeDeletesAllOwnedRowsAndNoOthers() throws SQLException {
        ExecutionId old = finishWithAllOwnedRows("old");
        ExecutionId young = finishWithAllOwnedRows("young");
        List<Long> before = countOwnedRows(young);
        assertThat(countOwnedRows(old)).isEqualTo(before).allMatch(rows -> rows > 0);
        backdateEnd(old, DAY.plusHours(1));

        purgeAll();

        assertThat(countOwnedRows(old)).containsOnly(0L);
        assertThat(countOwnedRows(young)).isEqualTo(before);
        NewExecution resubmitted =
                anExecution().idempotency("key of old", "hash").build();
        assertThat(store().insert(resubmitted)).isEqualTo(new InsertResult.ExecutionInserted(resubmitted.id()));
        assertThat(store().insert(anExecution()
                        .idempotency("key of young", "hash")
                        .build()))
                .isEqualTo(new InsertResult.ExecutionAlreadyInserted(young));
    }

    private void requestApproval(FencingToken fence) {
        JpaApprovalStore approvals = new JpaApprovalStore(database().database(), UUID::randomUUID);
        Approval approval = approvals.requestApproval(new ApprovalRequest(
                fence.id(),
                1,
                ApprovalKind.CALL,
                0,
                new ToolName("b", "t"),
                Json.EMPTY_OBJECT,
                "r",
                new ApprovalTerms(2, DAY, ApprovalTerms.ExpiryAction.DENY, "")));
        approvals.vote(
                TENANT, approval.id(), new ApprovalVote("anna", true, false, Optional.empty(), Optional.empty(), ""));
        new JpaApprovalLinkStore(database().database())
                .add(
                        new ApprovalLink(
                                UUID.randomUUID(),
                                TENANT,
                                approval.id(),
                                "",
                                new ApprovalLink.LinkCreator("anna", Optional.empty()),
                                approval.expiresAt(),
                                false),
                        20,
                        100);
    }

    private ExecutionId finishWithAllOwnedRows(String name) throws SQLException {
        FencingToken fence = startExecution(anExecution()
                .idempotency("key of " + name, "hash")
                .cacheOptions(CacheOptions.NONE.withResultKey("sha256-1"))
                .labels(Map.of("name", name))
                .trace(TraceContext.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", null)
                        .orElseThrow())
                .capability(new CapabilityBinding(new CapabilityRef("fees", "1.0.0"), Optional.empty())));
        new JpaArtifactStore(database().database())
                .write(
                        fence,
                        "report",
                        new ArtifactContent(
                                Artifact.ArtifactKind.TEXT, "text/plain", name.getBytes(StandardCharsets.UTF_8)));
        requestApproval(fence);
        new JpaCostStore(database().database())
                .charge(new CallCharge(fence, 1, new ToolName("b", "t"), Cost.of("1")), List.of());
        JournalBatch entries = new JournalBatch(
                List.of(new TraceEvent.StateChanged(1, java.time.Instant.EPOCH, ExecutionState.RUNNING, 1)),
                List.of(new OutputChunk(OutputKind.OUT, 0, "printed", 0, java.time.Instant.EPOCH)),
                false);
        assertThat(journal().finish(fence, new ExecutionOutcome.ExecutionCompleted(Json.NULL), entries))
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
                        "insert into schedule_run (execution_id, schedule_id, active) values (?, ?, false)")) {
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
                "insert into nested_execution (execution_id, parent_id, call_ordinal, root_id, depth, path)"
                        + " values (?, ?, 1, ?, 1, '')",
                "insert into nested_execution_active (execution_id, parent_id) values (?, ?)")) {
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

    /** Number of rows of an execution in each table that it owns rows in. */
    private List<Long> countOwnedRows(ExecutionId id) throws SQLException {
        List<Long> counts = new ArrayList<>();
        try (Connection connection = database().connect()) {
            for (String table : JpaExecutionPurger.OWNED_TABLES) {
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
    void everyTableWithAnExecutionIdIsHandled() throws SQLException {
        Set<String> tables = new TreeSet<>();
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select table_name from information_schema.columns"
                        + " where lower(column_name) = 'execution_id' and lower(table_schema) = 'public'")) {
            while (row.next()) {
                tables.add(row.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        assertThat(JpaExecutionPurger.OWNED_TABLES)
                .as("a table with the column execution_id is deleted from with its execution, or is the tenant's "
                        + "or a batch's")
                .containsExactlyInAnyOrderElementsOf(tables.stream()
                        // An ended execution waits for nothing, and its remaining alarms and concurrency turns are
                        // deleted with it.
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
    void recordingIsKeptUntilItsRerunHasEnded() throws SQLException {
        ExecutionId original = runToCompletion(anExecution());
        ExecutionId other = runToCompletion(anExecution());
        backdateEnd(original, DAY.plusHours(1));
        backdateEnd(other, DAY.plusHours(1));
        FencingToken rerun =
                startExecution(anExecution().rerun(new RerunOrigin(original, RerunOrigin.RerunMode.OFFLINE, 1, false)));

        purgeAll();
        assertThat(exists(original)).isTrue();
        assertThat(exists(other)).isFalse();

        finish(rerun, new ExecutionOutcome.ExecutionCompleted(Json.NULL));
        purgeAll();
        assertThat(exists(original)).isFalse();
        assertThat(store().find(TENANT, rerun.id()).orElseThrow().summary().rerunOf())
                .contains(original);
    }

    @Test
    void purgeDeletesTheOldestFirstUpToTheLimit() throws SQLException {
        List<ExecutionId> ids = IntStream.range(0, 5)
                .mapToObj(any -> runToCompletion(anExecution()))
                .collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(ids, new java.util.Random(7));
        for (int i = 0; i < ids.size(); i++) {
            backdateEnd(ids.get(i), DAY.plusHours(10 - i));
        }

        assertThat(purger().purge(DAY, 2)).isTrue();
        assertThat(ids.stream().map(this::exists)).containsExactly(false, false, true, true, true);
        assertThat(purger().purge(DAY, 4)).isFalse();
        assertThat(ids).noneMatch(this::exists);
    }

    @Test
    void largeExecutionIsPurgedAlone() throws SQLException {
        List<ExecutionId> ids = IntStream.range(0, 3)
                .mapToObj(any -> runToCompletion(anExecution()))
                .toList();
        for (int i = 0; i < ids.size(); i++) {
            backdateEnd(ids.get(i), DAY.plusHours(10 - i));
            try (Connection connection = database().connect();
                    PreparedStatement statement =
                            connection.prepareStatement("update execution set last_seq = ? where id = ?")) {
                statement.setLong(1, i == 2 ? 9 : 11_000);
                statement.setObject(2, ids.get(i).value());
                statement.executeUpdate();
            }
        }

        assertThat(purger().purge(DAY, 100)).isTrue();
        assertThat(ids.stream().map(this::exists)).containsExactly(false, true, true);
        assertThat(purger().purge(DAY, 100)).isTrue();
        assertThat(purger().purge(DAY, 100)).isFalse();
        assertThat(ids).noneMatch(this::exists);
    }

    @Test
    void concurrentPurgesDeleteEachExecutionOnce() throws Exception {
        List<ExecutionId> ids = IntStream.range(0, 60)
                .mapToObj(any -> runToCompletion(anExecution()))
                .toList();
        for (ExecutionId id : ids) {
            backdateEnd(id, DAY.plusHours(1));
        }

        ConcurrencyTestUtil.runConcurrently(4, node -> {
            purgeAll();
            return node;
        });
        purgeAll();

        assertThat(ids).noneMatch(this::exists);
    }
}
