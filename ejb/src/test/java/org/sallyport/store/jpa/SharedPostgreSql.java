package org.sallyport.store.jpa;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL server of this Java VM, in which test classes have databases of their own: to initialize a server
 * takes seconds, to create a database does not. The server ends with this Java VM.
 */
public final class SharedPostgreSql {
    /** The owner of all databases. */
    public static final String USER = "postgres";

    private static @Nullable EmbeddedPostgres server;
    private static int databaseCount;

    private SharedPostgreSql() {}

    /** Creates an empty database and returns its JDBC URL. */
    public static synchronized String createDatabase() {
        try {
            EmbeddedPostgres running = server;
            if (running == null) {
                running = EmbeddedPostgres.builder().start();
                server = running;
            }
            String name = "test_" + ++databaseCount;
            try (Connection connection = running.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create database " + name);
            }
            return "jdbc:postgresql://localhost:" + running.getPort() + "/" + name;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("the database cannot be created", e);
        }
    }
}
