package org.sallyport.store.jpa;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A separate database for a test class, on disk as in production. */
final class TestDatabase implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(1);
    /**
     * For tests that do not examine a missing answer: a busy machine may take a while for ten thousand rows, or for 32
     * threads that need one of ten connections.
     */
    private static final Duration RELAXED_TIMEOUT = Duration.ofSeconds(10);

    /** Child tables first. */
    private static final List<String> TABLES = List.of(
            "blocked_subject",
            "audit_result",
            "audit_entry",
            "approval_vote",
            "approval_link",
            "approval",
            "policy",
            "nested_execution_active",
            "nested_execution",
            "span_export",
            "callback",
            "callback_secret",
            "schedule_run",
            "schedule_batch",
            "schedule_rows_chunk",
            "schedule_rows",
            "schedule",
            "capability_run",
            "result_key",
            "execution_term",
            "capability_tool",
            "capability",
            "script",
            "call_cost",
            "call_count",
            "tenant_quota",
            "cost_total",
            "cost_day",
            "trace_event",
            "output_chunk",
            "execution_outcome",
            "execution_input",
            "idempotency_key",
            "dead_letter",
            "artifact_chunk",
            "artifact",
            "event_wait",
            "tool_wait",
            "event",
            "event_sequence",
            "batch_row",
            "batch_item",
            "batch",
            "execution",
            "node",
            "api_key",
            "console_session",
            "demo_value",
            "demo_count",
            "demo_ledger",
            "demo_mail",
            "secret",
            "tenant_variable",
            "inbound_webhook_signature",
            "inbound_webhook",
            "backend_tool",
            "backend",
            "tool_graph_tool",
            "tool_graph_transition",
            "tool_graph_intent",
            "tool_graph_cursor");

    private final DatabaseSettings settings;
    private final Database database;
    private final Closeable server;
    /** Kept open, because PostgreSQL reads the description of every table again for each connection. */
    private @Nullable Connection cleanupConnection;

    private TestDatabase(DatabaseSettings settings, UnaryOperator<DataSource> interceptor, Closeable server) {
        this.settings = settings;
        this.database = Database.open(settings, interceptor);
        this.server = server;
    }

    static TestDatabase h2() {
        return h2(UnaryOperator.identity());
    }

    /** @param interceptor returns the source of the connections of {@link #database()} */
    static TestDatabase h2(UnaryOperator<DataSource> interceptor) {
        try {
            Path directory = Files.createTempDirectory("sallyport-h2");
            return new TestDatabase(h2(directory), interceptor, () -> {
                try (var files = Files.walk(directory)) {
                    files.sorted(java.util.Comparator.reverseOrder())
                            .forEach(path -> path.toFile().delete());
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static DatabaseSettings h2(Path directory) {
        return new DatabaseSettings("jdbc:h2:file:" + directory.resolve("db"), "sa", "", 10, RELAXED_TIMEOUT, 0);
    }

    /** A database of its own in the server that classes share. */
    static TestDatabase postgreSql() {
        return postgreSql(UnaryOperator.identity());
    }

    /** @param interceptor returns the source of the connections of {@link #database()} */
    static TestDatabase postgreSql(UnaryOperator<DataSource> interceptor) {
        return new TestDatabase(postgreSql(SharedPostgreSql.createDatabase(), RELAXED_TIMEOUT), interceptor, () -> {});
    }

    /** The database of a server of its own, for a test that creates roles. */
    static TestDatabase postgreSqlServer() {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            return new TestDatabase(
                    postgreSql(postgreSqlUrl(server.getPort()), RELAXED_TIMEOUT), UnaryOperator.identity(), server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static DatabaseSettings postgreSql(int port) {
        return postgreSql(postgreSqlUrl(port), TIMEOUT);
    }

    private static String postgreSqlUrl(int port) {
        return "jdbc:postgresql://localhost:" + port + "/postgres";
    }

    private static DatabaseSettings postgreSql(String url, Duration timeout) {
        return new DatabaseSettings(url, SharedPostgreSql.USER, "postgres", 10, timeout, 0);
    }

    Database database() {
        return database;
    }

    DatabaseSettings settings() {
        return settings;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(JdbcUrl.complete(settings.url()), settings.user(), settings.password());
    }

    void clear() throws SQLException {
        if (cleanupConnection == null) {
            cleanupConnection = connect();
        }
        try (Statement statement = cleanupConnection.createStatement()) {
            // One statement text, for one answer and one commit instead of one for each table.
            statement.execute("delete from " + String.join("; delete from ", TABLES));
        }
    }

    /** Sets a timestamp of a row to {@code by} before the current time. */
    void backdate(String table, String column, UUID id, Duration by) throws SQLException {
        try (Connection connection = connect();
                var update = connection.prepareStatement("update " + table + " set " + column
                        + " = current_timestamp - cast(? as bigint) * interval '0.001' second where id = ?")) {
            update.setLong(1, by.toMillis());
            update.setObject(2, id);
            update.executeUpdate();
        }
    }

    /** Sets the time of an event to {@code by} before the current time. */
    void backdateEvent(String tenant, long seq, Duration by) throws SQLException {
        try (Connection connection = connect();
                var update = connection.prepareStatement(
                        "update event set at = current_timestamp - cast(? as bigint) * interval '0.001' second"
                                + " where tenant = ? and seq = ?")) {
            update.setLong(1, by.toMillis());
            update.setString(2, tenant);
            update.setLong(3, seq);
            update.executeUpdate();
        }
    }

    /** Locks a row, as another transaction does, until the result is closed. */
    AutoCloseable lockRow(String table, UUID id) throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        try (var select = connection.prepareStatement("select id from " + table + " where id = ? for update")) {
            select.setObject(1, id);
            select.executeQuery().close();
        }
        return () -> {
            connection.rollback();
            connection.close();
        };
    }

    @Override
    public void close() throws IOException {
        try {
            if (cleanupConnection != null) {
                cleanupConnection.close();
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
        database.close();
        server.close();
    }
}
