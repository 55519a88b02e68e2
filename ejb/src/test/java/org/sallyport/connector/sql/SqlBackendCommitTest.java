package org.sallyport.connector.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

/** Results of calls whose time passes, or that fail, before their statement or while they commit. */
class SqlBackendCommitTest {
    private static final CallId CALL = new CallId("e", 1);
    private static final BackendDefinition DEFINITION =
            new BackendDefinition("db", "sql", Json.EMPTY_OBJECT, true, BackendDefinition.BackendOrigin.FILE, "1");

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final CompletableFuture<BackendState> ready = new CompletableFuture<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final SqlBackend backend = new SqlBackend(
            Map.of(
                    "rename",
                    new NamedParameterStatement(
                            "update pet set name = 'Bo'",
                            List.of(),
                            false,
                            true,
                            new ToolDefinition(
                                    "rename", "rename", "", new Json("{}"), Optional.empty(), ToolHints.EFFECT))),
            known -> pool(),
            new SqlBackend.SqlLimits(10, 1_000, Duration.ofSeconds(60)),
            () -> VaultFixtures.NO_SECRETS.resolverFor(DEFINITION),
            new BackendConnection.ConnectionListener() {
                @Override
                public void onStateChanged(BackendState state, Optional<String> error) {
                    if (state == BackendState.READY) {
                        ready.complete(state);
                    }
                }

                @Override
                public void onToolsDeclared(List<ToolDefinition> tools) {}
            },
            executor);
    /** Run by the thread of the call. */
    private volatile SqlAction beforePreparation = () -> {};

    private volatile SqlAction beforeCommit = () -> {};
    private volatile SqlAction afterCommit = () -> {};

    private interface SqlAction {
        void run() throws SQLException;
    }

    @BeforeEach
    void open() throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("create table pet (name varchar(40))");
            statement.execute("insert into pet values ('Rex')");
        }
        backend.start();
        assertThat(ready.get(60, TimeUnit.SECONDS)).isEqualTo(BackendState.READY);
    }

    @AfterEach
    void close() {
        released.countDown();
        backend.close();
        executor.shutdown();
    }

    private HikariDataSource pool() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        HikariConfig pool = new HikariConfig();
        pool.setDataSource(proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(database, method, arguments);
            return result instanceof Connection connection ? intercept(connection) : result;
        }));
        pool.setMinimumIdle(0);
        pool.setMaximumPoolSize(2);
        return new HikariDataSource(pool);
    }

    private Connection intercept(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            boolean commit = method.getName().equals("commit");
            if (method.getName().equals("prepareStatement")) {
                beforePreparation.run();
            } else if (commit) {
                beforeCommit.run();
            }
            Object result = invoke(connection, method, arguments);
            if (commit) {
                afterCommit.run();
            }
            return result;
        });
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Stops the thread of the call until the test releases it. */
    private void block() {
        reached.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<ToolResult> call(boolean repeatable) {
        return backend.call(new BackendConnection.BackendRequest(
                        CALL, "rename", Json.EMPTY_OBJECT, repeatable, "default", Instant.MAX))
                .toCompletableFuture();
    }

    private static ToolErrorCode code(CompletableFuture<ToolResult> call) throws Exception {
        return ((ToolResult.ToolFailure) call.get(60, TimeUnit.SECONDS)).error().code();
    }

    private String storedName() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select name from pet")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void callThatIsWithdrawnBeforeItsStatementIsAtOnceKnownToChangeNothing() throws Exception {
        beforePreparation = this::block;
        CompletableFuture<ToolResult> call = call(false);
        assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(backend.withdraw(CALL).toCompletableFuture()).isCompletedWithValue(true);
        released.countDown();
        assertThat(code(call)).isEqualTo(ToolErrorCode.CANCELLED);
        assertThat(storedName()).isEqualTo("Rex");
    }

    @Test
    void callThatIsWithdrawnDuringItsCommitSucceeds() throws Exception {
        beforeCommit = this::block;
        CompletableFuture<ToolResult> call = call(false);
        assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Boolean> withoutEffect = backend.withdraw(CALL).toCompletableFuture();
        assertThat(withoutEffect).isNotDone();
        released.countDown();
        assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(ToolResult.success(new Json("{\"updated\":1}")));
        assertThat(withoutEffect.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(storedName()).isEqualTo("Bo");
    }

    @ParameterizedTest
    @CsvSource({
        "HYT00, true,  false, OUTCOME_UNKNOWN",
        "HYT00, true,  true,  TIMEOUT",
        "57014, true,  false, TIMEOUT",
        "57014, false, false, TIMEOUT",
        "08006, false, false, OUTCOME_UNKNOWN",
        "53100, false, false, OUTCOME_UNKNOWN",
        "53100, false, true,  OUTCOME_UNKNOWN",
        "40003, false, false, OUTCOME_UNKNOWN",
        "40001, false, false, TOOL_FAILED",
        "23505, false, false, TOOL_FAILED"
    })
    void commitThatFailsIsUnknownUnlessTheDatabaseReportsARollback(
            String state, boolean timeout, boolean repeatable, ToolErrorCode expected) throws Exception {
        SqlAction failing = () -> {
            throw timeout ? new SQLTimeoutException("late", state) : new SQLException("no", state);
        };
        if (expected == ToolErrorCode.OUTCOME_UNKNOWN) {
            afterCommit = failing;
        } else {
            beforeCommit = failing;
        }
        assertThat(code(call(repeatable))).isEqualTo(expected);
        assertThat(storedName()).isEqualTo(expected == ToolErrorCode.OUTCOME_UNKNOWN ? "Bo" : "Rex");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1",
                "UPDATE pet set name = ''",
                "insert into pet values (1)",
                "delete from pet",
                "merge into pet using x on (true) when matched then delete",
                "with old as (select 1) delete from pet",
                "\n  -- a comment\n /* and\n another */ (select 1)",
                "values (1)"
            })
    void statementsWithRowsAreUndoneWithTheirTransaction(String sql) {
        assertThat(statement(sql).isTransactional()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "call pay()",
                "do $$ begin commit; end $$",
                "create table pet2 as select 1",
                "drop table pet",
                "vacuum",
                "-- select 1\ncall pay()",
                "selected",
                ""
            })
    void otherStatementsMayCommitByThemselves(String sql) {
        assertThat(statement(sql).isTransactional()).isFalse();
    }

    private static NamedParameterStatement statement(String sql) {
        return new NamedParameterStatement(
                sql,
                List.of(),
                false,
                true,
                new ToolDefinition("a", "a", "", new Json("{}"), Optional.empty(), ToolHints.EFFECT));
    }
}
