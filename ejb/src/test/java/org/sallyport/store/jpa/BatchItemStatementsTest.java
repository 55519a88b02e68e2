package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.BatchItemLoader;
import org.sallyport.batch.LoadedBatchItem;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.tool.Json;

/** The number of statements that read a page of results depends on the size of the results, not on their number. */
class BatchItemStatementsTest {
    private static final String TENANT = "tenant-a";
    private static final int ITEMS = 500;

    private static TestDatabase database;

    private static JpaBatchStore batches() {
        return new JpaBatchStore(database.database(), Duration.ofHours(1));
    }

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.h2();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set query_statistics true");
            statement.execute("set query_statistics_max_entries 5000");
        }
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
    }

    /** Stores a batch of rows whose executions have results of this length. */
    private Batch store(int items, int resultChars) throws SQLException {
        NewBatch batch = new NewBatch(
                new BatchId(UUID.randomUUID()),
                TENANT,
                "key-1",
                Optional.empty(),
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.empty(),
                List.of("a"),
                Optional.empty());
        List<NewBatchItem> all = IntStream.range(0, items)
                .<NewBatchItem>mapToObj(i -> new NewBatchItem.AcceptedBatchItem(
                        anExecution().tenant(TENANT).args("{\"a\":" + i + "}").build(),
                        Optional.of(new Json("{\"a\":\"" + i + "\"}"))))
                .toList();
        assertThat(batches().insert(batch, all.iterator())).isEqualTo(new BatchInsertResult.BatchInserted());
        setResults(resultChars);
        return batches().find(TENANT, batch.id()).orElseThrow();
    }

    /** Ends all executions with results of this length. */
    private static void setResults(int chars) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from execution_outcome");
            statement.execute("insert into execution_outcome (execution_id, result)"
                    + " select id, '\"' || repeat('x', " + chars + ") || '\"' from execution");
            statement.execute("update execution set state = 'COMPLETED'");
        }
    }

    private List<LoadedBatchItem> load(Batch batch) {
        List<LoadedBatchItem> items = new ArrayList<>();
        new BatchItemLoader(
                        batches(),
                        new JpaExecutionStore(database.database(), Duration.ofHours(1)),
                        TENANT,
                        batch,
                        batches().listSizedItems(batch.id(), -1, ITEMS, false))
                .forEachRemaining(items::add);
        return items;
    }

    /** Number of statements that read items, rows or executions. */
    private static long countReads() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select coalesce(sum(execution_count), 0)"
                        + " from information_schema.query_statistics where lower(sql_statement) like 'select%'"
                        + " and (lower(sql_statement) like '%batch_item%'"
                        + " or lower(sql_statement) like '%batch_row%' or lower(sql_statement) like '%execution %')"
                        + " and lower(sql_statement) not like '%query_statistics%'")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void pageOfSmallResultsNeedsThreeStatements() throws SQLException {
        Batch batch = store(ITEMS, 10);
        long before = countReads();

        List<LoadedBatchItem> items = load(batch);

        assertThat(countReads() - before).isEqualTo(3);
        assertThat(items).hasSize(ITEMS);
        for (int i = 0; i < ITEMS; i++) {
            LoadedBatchItem item = items.get(i);
            assertThat(item.item().index()).isEqualTo(i);
            assertThat(item.row()).contains(new Json("{\"a\":\"" + i + "\"}"));
            assertThat(item.execution()).isPresent();
            assertThat(item.execution().orElseThrow().id())
                    .isEqualTo(item.item().execution().orElseThrow());
            assertThat(item.execution().orElseThrow().args()).isEqualTo(new Json("{\"a\":" + i + "}"));
            assertThat(item.execution().orElseThrow().result()).contains(new Json("\"xxxxxxxxxx\""));
        }
    }

    @Test
    void largeResultsAreLoadedAFewAtATime() throws SQLException {
        Batch batch = store(20, 100_000);
        long before = countReads();

        assertThat(load(batch)).hasSize(20);

        assertThat(countReads() - before)
                .as("two results of 100 kB fit into 256 KiB")
                .isEqualTo(1 + 2 * 10);
    }

    @Test
    void executionsThatEndWhileItemsAreReadAreMeasuredAgain() throws SQLException {
        Batch batch = store(10, 100_000);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from execution_outcome");
            statement.execute("update execution set state = 'RUNNING'");
            statement.execute("update batch_row set source_row = '{\"a\":\"' || repeat('y', 60000) || '\"}'");
        }
        BatchItemLoader items = new BatchItemLoader(
                batches(),
                new JpaExecutionStore(database.database(), Duration.ofHours(1)),
                TENANT,
                batch,
                batches().listSizedItems(batch.id(), -1, ITEMS, false));
        for (int i = 0; i < 4; i++) {
            assertThat(items.next().item().index()).isEqualTo(i);
        }
        setResults(100_000);
        long before = countReads();

        for (int i = 4; i < 10; i++) {
            LoadedBatchItem item = items.next();
            assertThat(item.item().index()).isEqualTo(i);
            assertThat(item.execution().orElseThrow().result()).isPresent();
        }

        assertThat(items.hasNext()).isFalse();
        assertThat(countReads() - before)
                .as("one item of 160 kB at a time; the sizes of 4 to 7, of 7 and 8, and of 8 and 9 are read again")
                .isEqualTo(2 * 6 + 3);
    }
}
