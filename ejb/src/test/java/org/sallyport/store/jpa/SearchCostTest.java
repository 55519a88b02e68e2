package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionState;
import org.sallyport.quota.TenantUsage;

/**
 * On PostgreSQL, no page reads more than a window of the executions, and none reads a whole table, however many are
 * stored.
 */
@Tag("slow")
class SearchCostTest {
    private static final int STORED = 100_000;
    private static final UUID NEWEST = new UUID(-1, -1);
    private static final Pattern ROWS = Pattern.compile("actual .*?rows=([0-9.]+) loops=([0-9]+)");

    private static TestDatabase database;

    @BeforeAll
    static void fill() throws Exception {
        database = TestDatabase.postgreSql();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create temporary table n as select g, (lpad(to_hex(1760000000000 + g), 12, '0')"
                    + " || '70008000' || lpad(to_hex(g), 12, '0'))::uuid as id from generate_series(1, " + STORED
                    + ") g");
            statement.execute("insert into execution (id, tenant, submitter, state, language, priority, code_preview,"
                    + " labels, wall_millis, durability, created_at, finished_at, next_check_at)"
                    + " select id, 't', 'k', case when g % 1000 = 0 then 'FAILED' else 'COMPLETED' end, 'JAVASCRIPT', "
                    + "4,"
                    + " 'return ' || g, '{}', 1000, 'journal', to_timestamp(1760000000 + g / 1000.0),"
                    + " to_timestamp(1760000000 + g / 1000.0), current_timestamp from n");
            statement.execute("insert into execution_input (execution_id, code, args, context, grants, cpu_millis,"
                    + " heap_bytes, tool_calls, output_chars) select id, 'return ' || g, 'null', 'null', "
                    + "'[]', 1, 1, 1, 1 from n");
            statement.execute("insert into execution_outcome (execution_id, result) select id, '1' from n");
            statement.execute("insert into execution_term select 't', 'label:all:yes', id from n");
            statement.execute("insert into execution_term select 't', 'tool:demo.rare', id from n where g % 10000 = 0");
            statement.execute("insert into capability_run select id, 't', 'c', '1.0.0' from n where g % 2 = 0");
            statement.execute("analyze");
        }
    }

    private static final ExecutionFilter LIVE_OR_FINISHED_LATELY = new ExecutionFilter(
            Set.of(),
            Optional.empty(),
            List.of(),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Duration.ofMinutes(1)),
            true,
            Optional.empty(),
            Optional.empty(),
            false);

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    static Stream<Arguments> filters() {
        return Stream.of(
                Arguments.of("outside batches", ExecutionFilter.OUTSIDE_BATCHES),
                Arguments.of("a submitter of all", submitter("k", Set.of())),
                Arguments.of("a submitter of none", submitter("other", Set.of())),
                Arguments.of("a submitter of all, failed", submitter("k", Set.of(ExecutionState.FAILED))),
                filter("a label of all", List.of("all:yes"), List.of(), null, null, null, null),
                filter("a label of none", List.of("all:no"), List.of(), null, null, null, null),
                filter("a tool of few", List.of(), List.of("demo.rare"), null, null, null, null),
                filter(
                        "a label of all and a tool of few",
                        List.of("all:yes"),
                        List.of("demo.rare"),
                        null,
                        null,
                        null,
                        null),
                filter("a text that is nowhere", List.of(), List.of(), "nowhere", null, null, null),
                filter("a text that is everywhere", List.of(), List.of(), "return", null, null, null),
                filter(
                        "a label of all and a text that is nowhere",
                        List.of("all:yes"),
                        List.of(),
                        "nowhere",
                        null,
                        null,
                        null),
                filter("an id", List.of(), List.of(), "0199c82c", null, null, null),
                filter("since then", List.of(), List.of(), null, Instant.ofEpochSecond(1_760_000_050), null, null),
                filter("finished lately", List.of(), List.of(), null, null, Duration.ofMinutes(1), null),
                Arguments.of("live or finished lately", LIVE_OR_FINISHED_LATELY),
                filter("a version that nothing ran", List.of(), List.of(), null, null, null, "c@2.0.0"),
                filter("a label and a capability", List.of("all:yes"), List.of(), null, null, null, "c"));
    }

    private static ExecutionFilter submitter(String submitter, Set<ExecutionState> states) {
        return new ExecutionFilter(
                states,
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.of(submitter),
                false);
    }

    private static Arguments filter(
            String name,
            List<String> labels,
            List<String> tools,
            @Nullable String text,
            @Nullable Instant since,
            @Nullable Duration finished,
            @Nullable String capability) {
        return Arguments.of(
                name,
                new ExecutionFilter(
                        Set.of(),
                        Optional.ofNullable(capability),
                        labels,
                        tools,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.ofNullable(since),
                        Optional.ofNullable(finished),
                        false,
                        Optional.ofNullable(text),
                        Optional.empty(),
                        false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("filters")
    void pageReadsAtMostOneWindow(String name, ExecutionFilter filter) {
        assertPlanWithinWindow(filter, null);
        if (new SearchQueryBuilder("t", filter).followsStates()) {
            assertPlanWithinWindow(filter, ExecutionState.FAILED);
        }
        assertThat(database.database()
                        .<Integer>read(session -> new ExecutionSearch(session, "t", filter, 50)
                                .page(Optional.empty())
                                .items()
                                .size()))
                .isLessThanOrEqualTo(50);
    }

    @SuppressWarnings("unchecked")
    private static void assertPlanWithinWindow(ExecutionFilter filter, @Nullable ExecutionState state) {
        List<String> lines = database.database()
                .read(session -> new SearchQueryBuilder("t", filter)
                        .buildQuery(state, NEWEST, 51)
                        .query(session, "explain (analyze, timing off) ")
                        .getResultList());
        String plan = String.join("\n", lines);
        assertThat(plan).doesNotContain("Seq Scan");
        double maxRows = ROWS.matcher(plan)
                .results()
                .mapToDouble(SearchCostTest::scannedRows)
                .max()
                .orElseThrow();
        assertThat(maxRows).as(plan).isLessThanOrEqualTo(SearchQueryBuilder.SCAN_WINDOW);
        assertThat(plan).as("what is thrown away").doesNotContainPattern("Removed by Filter: \\d{5}");
    }

    @Test
    void tenantsAreListedWithoutReadingTheirRows() {
        for (String statement : List.of(JpaTenantStore.NEXT_TENANT, JpaTenantStore.TENANT_USAGE)) {
            List<Object> parameters = statement.contains("?2") ? List.of("t", "2026-01-01") : List.of("");
            List<?> lines = database.database()
                    .read(session -> JpaBatchStore.nativeQuery(
                                    session, "explain (analyze, timing off) " + statement, parameters.toArray())
                            .getResultList());
            String plan = lines.stream().map(String::valueOf).collect(Collectors.joining("\n"));
            assertThat(plan).doesNotContain("Seq Scan on execution");
            assertThat(ROWS.matcher(plan).results().mapToDouble(SearchCostTest::scannedRows))
                    .as(plan)
                    .isNotEmpty()
                    .allMatch(read -> read <= 10);
        }
        assertThat(new JpaTenantStore(database.database()).listTenants("", 10))
                .extracting(TenantUsage::tenant)
                .containsExactly("t");
    }

    private static double scannedRows(MatchResult match) {
        return Double.parseDouble(match.group(1)) * Long.parseLong(match.group(2));
    }
}
