package org.sallyport.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.callback.CallbackState;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;

/** H2 takes a page of a list out of an index in its order: it neither reads nor sorts all that a tenant has. */
class ListCostTest {
    private static final int STORED = 5_000;
    private static final ExecutionId LATE = new ExecutionId(new UUID(-1, -1));

    private static TestDatabase database;

    /** Something that is listed. */
    private interface Look {
        void at(Database database);
    }

    @BeforeAll
    static void fill() throws Exception {
        database = TestDatabase.h2();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create local temporary table n as select x,"
                    + " cast(cast((1760000000000 + x) * 65536 + 28672 as binary(8)) || cast(x as binary(8)) as uuid) as id"
                    + " from system_range(1, " + STORED + ")");
            statement.execute(
                    "insert into execution (id, tenant, submitter, state, language, priority, code_preview,"
                            + " labels, wall_millis, durability, created_at, finished_at, next_check_at)"
                            + " select id, 't', 'k', case when mod(x, 10) = 0 then 'FAILED' else 'COMPLETED' end, 'JAVASCRIPT', 4,"
                            + " 'return ' || x, '{}', 1000, 'journal', current_timestamp, current_timestamp, current_timestamp from n");
            statement.execute(
                    "insert into execution_input (execution_id, code, args, context, grants, cpu_millis,"
                            + " heap_bytes, tool_calls, output_chars) select id, 'return ' || x, 'null', 'null', '[]', 1, 1, 1, 1 from n");
            statement.execute("insert into capability_run select id, 't', 'c', '1.0.0' from n where mod(x, 2) = 0");
            statement.execute(
                    "insert into callback (execution_id, tenant, url, host, state) select id, 't', 'u', 'h', 'DELIVERED' from n");
            statement.execute("insert into batch (id, tenant, submitter, total, refused, on_failure, advancing)"
                    + " select id, 't', 'k', 1, 0, 'CONTINUE', false from n");
            statement.execute("analyze");
            statement.execute("set query_statistics true");
        }
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    static Stream<Arguments> lists() {
        return Stream.of(
                list("executions", executions(Set.of(), null, null)),
                list("executions of a state", executions(Set.of(ExecutionState.COMPLETED), null, null)),
                list("executions with a text", executions(Set.of(), null, "return")),
                list("executions of a capability", executions(Set.of(), "c", null)),
                list(
                        "callbacks",
                        all -> new JpaCallbackStore(all).list("t", CallbackState.DELIVERED, Optional.of(LATE), 50)),
                list("batches", all -> new JpaBatchStore(all, Duration.ofSeconds(1)).list("t", Optional.empty(), 50)));
    }

    private static Arguments list(String name, Look look) {
        return Arguments.of(name, look);
    }

    private static Look executions(Set<ExecutionState> states, @Nullable String capability, @Nullable String text) {
        ExecutionFilter filter = new ExecutionFilter(
                states,
                Optional.ofNullable(capability),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(text));
        return all -> assertThat(new JpaExecutionStore(all, Duration.ofSeconds(1))
                        .list("t", filter, Optional.of(LATE), 50)
                        .items())
                .hasSize(50);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lists")
    void aPageIsTakenOutOfAnIndexInItsOrder(String name, Look look) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set query_statistics false");
            statement.execute("set query_statistics true");
            look.at(database.database());
            List<String> pages = pages(statement);
            assertThat(pages).isNotEmpty();
            for (String page : pages) {
                assertThat(plan(connection, page)).as(page).contains("index sorted");
            }
        }
    }

    /** What was read newest first, and no further than it was needed. */
    private static List<String> pages(Statement statement) throws SQLException {
        List<String> found = new ArrayList<>();
        try (ResultSet all = statement.executeQuery("select sql_statement from information_schema.query_statistics")) {
            while (all.next()) {
                String text = all.getString(1);
                if (text.regionMatches(true, 0, "select", 0, 6)
                        && text.toLowerCase(java.util.Locale.ROOT).contains(" limit ")) {
                    found.add(text);
                }
            }
        }
        return found;
    }

    private static String plan(Connection connection, String page) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("explain " + page)) {
            ParameterMetaData parameters = explain.getParameterMetaData();
            for (int i = 1; i <= parameters.getParameterCount(); i++) {
                switch (parameters.getParameterTypeName(i)) {
                    case "UUID" -> explain.setObject(i, LATE.value());
                    case "BIGINT", "INTEGER" -> explain.setInt(i, 50);
                    default -> explain.setString(i, "t");
                }
            }
            try (ResultSet plan = explain.executeQuery()) {
                assertThat(plan.next()).isTrue();
                return plan.getString(1);
            }
        }
    }
}
