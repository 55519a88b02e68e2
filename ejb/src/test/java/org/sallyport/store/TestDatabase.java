package org.sallyport.store;

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

/** A database of its own for a test class, on disk as in production. */
final class TestDatabase implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Children first. */
    private static final List<String> TABLES = List.of(
            "approval_vote",
            "approval",
            "policy",
            "capability_run",
            "capability",
            "trace_event",
            "output_chunk",
            "execution_outcome",
            "execution_input",
            "idempotency_key",
            "dead_letter",
            "artifact_piece",
            "artifact",
            "event",
            "event_head",
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
            "backend_tool",
            "backend");

    private final DatabaseSettings settings;
    private final Database database;
    private final Closeable server;

    private TestDatabase(DatabaseSettings settings, Closeable server) {
        this.settings = settings;
        this.database = Database.open(settings);
        this.server = server;
    }

    static TestDatabase h2() {
        try {
            Path directory = Files.createTempDirectory("sallyport-h2");
            return new TestDatabase(h2(directory), () -> {
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
        return new DatabaseSettings("jdbc:h2:file:" + directory.resolve("db"), "sa", "", 10, TIMEOUT);
    }

    static TestDatabase postgreSql() {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            return new TestDatabase(postgreSql(server.getPort()), server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static DatabaseSettings postgreSql(int port) {
        return new DatabaseSettings(
                "jdbc:postgresql://localhost:" + port + "/postgres", "postgres", "postgres", 10, TIMEOUT);
    }

    Database database() {
        return database;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(JdbcUrl.complete(settings.url()), settings.user(), settings.password());
    }

    void clear() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute("delete from " + table);
            }
        }
    }

    @Override
    public void close() throws IOException {
        database.close();
        server.close();
    }
}
