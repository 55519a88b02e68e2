package org.sallyport.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.sallyport.execution.StoreUnavailableException;

/** Brings the tables up to date, over connections of its own: a migration may take longer than any call may wait. */
final class Schema {
    private static final String MIGRATIONS = "classpath:org/sallyport/sql";

    private Schema() {}

    static String driver(String url) {
        return JdbcUrl.isPostgreSql(url) ? "org.postgresql.Driver" : "org.h2.Driver";
    }

    /** Waits for the database, at most {@code attempts} connect timeouts, then migrates. */
    static void migrate(DatabaseSettings settings, DriverTls tls, int attempts) {
        String url = JdbcUrl.complete(settings.url());
        loadDriver(url);
        await(url, settings, tls, attempts);
        Flyway.configure(Database.class.getClassLoader())
                .dataSource(url, settings.user(), settings.password())
                .jdbcProperties(tls.properties())
                .locations(MIGRATIONS)
                .failOnMissingLocations(true)
                .load()
                .migrate();
    }

    private static void loadDriver(String url) {
        try {
            // In an application server the driver is in the application, where DriverManager does not look.
            Class.forName(driver(url), true, Database.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the JDBC driver is missing: " + driver(url), e);
        }
    }

    private static void await(String url, DatabaseSettings settings, DriverTls tls, int attempts) {
        for (int attempt = 1; ; attempt++) {
            try {
                check(url, settings, tls);
                return;
            } catch (SQLException e) {
                if (attempt == attempts || !worthWaitingFor(e)) {
                    throw new StoreUnavailableException(
                            "the database at " + JdbcUrl.printable(url) + " cannot be opened: "
                                    + settings.tls()
                                            .flatMap(of -> of.explained().apply(e))
                                            .orElseGet(() -> String.valueOf(e.getMessage())),
                            e);
                }
                pause(settings.connectTimeout().toMillis());
            }
        }
    }

    private static void check(String url, DatabaseSettings settings, DriverTls tls) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(tls.properties());
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password());
        if (JdbcUrl.isPostgreSql(url)) {
            String seconds = Long.toString(Math.max(1, settings.connectTimeout().toSeconds()));
            properties.setProperty("connectTimeout", seconds);
            properties.setProperty("socketTimeout", seconds);
        }
        try (Connection connection = DriverManager.getConnection(url, properties)) {
            if (JdbcUrl.isPostgreSql(url)) {
                checkEncoding(connection);
            }
        }
    }

    private static void checkEncoding(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show server_encoding")) {
            row.next();
            if (!"UTF8".equals(row.getString(1))) {
                throw new IllegalStateException(
                        "the database's encoding must be UTF8, or text would be lost; it is " + row.getString(1));
            }
        }
    }

    /** A refused connection (08) or a starting server (57) may get better; a wrong password or a locked file will not. */
    private static boolean worthWaitingFor(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08") || state.startsWith("57");
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while waiting for the database", e);
        }
    }
}
