package org.sallyport.store.jpa;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.CoreErrorCode;
import org.flywaydb.core.api.ErrorCode;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.store.jpa.DatabaseSettings.RowSecurityMode;

/**
 * Migrates the schema of the database. Uses its own connections, because a migration may take longer than a call of the
 * store may wait.
 */
final class SchemaMigrator {
    private static final String MIGRATIONS = "classpath:org/sallyport/schema";
    private static final Duration MAX_STATEMENT_TIME = Duration.ofMinutes(1);

    /** Flyway's errors for applied migrations whose text differs from that of this build. */
    private static final Set<ErrorCode> FOREIGN_BUILD_ERRORS = Set.of(
            CoreErrorCode.CHECKSUM_MISMATCH,
            CoreErrorCode.DESCRIPTION_MISMATCH,
            CoreErrorCode.TYPE_MISMATCH,
            CoreErrorCode.APPLIED_VERSIONED_MIGRATION_NOT_RESOLVED);

    private SchemaMigrator() {}

    static String driverClass(String url) {
        return JdbcUrl.isPostgreSql(url) ? "org.postgresql.Driver" : "org.h2.Driver";
    }

    /**
     * Waits for the database, at most {@code attempts} connect timeouts, then migrates the schema.
     *
     * @throws StoreUnavailableException if the database cannot be opened
     * @throws IllegalStateException if another build made the schema
     */
    static void migrate(DatabaseSettings settings, PgTlsRegistry tls, int attempts) {
        String url = JdbcUrl.complete(settings.url());
        loadDriver(url);
        awaitDatabase(url, settings, tls, attempts);
        Flyway flyway = Flyway.configure(Database.class.getClassLoader())
                .dataSource(url, settings.user(), settings.password())
                .jdbcProperties(tls.properties())
                .locations(MIGRATIONS)
                .failOnMissingLocations(true)
                .callbacks(JdbcUrl.isPostgreSql(url) ? new Callback[0] : new Callback[] {new H2PlannerStatistics()})
                .load();
        try {
            flyway.migrate();
        } catch (FlywayValidateException e) {
            if (isOfAnotherBuild(flyway)) {
                throw new IllegalStateException(
                        "the schema of the database at " + JdbcUrl.printable(url)
                                + " was made by another build before the"
                                + " first release and cannot be upgraded; start on an empty database or data directory",
                        e);
            }
            throw e;
        }
    }

    private static boolean isOfAnotherBuild(Flyway flyway) {
        return flyway.validateWithResult().invalidMigrations.stream()
                .anyMatch(migration -> FOREIGN_BUILD_ERRORS.contains(migration.errorDetails.errorCode));
    }

    /**
     * Installs row-level security on PostgreSQL. Returns whether it is in force.
     *
     * @throws IllegalStateException if it is required and cannot be installed, or if existing policies hide rows from
     *     the service's user
     */
    static boolean enableRowSecurity(DatabaseSettings settings, PgTlsRegistry tls) {
        String url = settings.url();
        if (!JdbcUrl.isPostgreSql(url)) {
            return false;
        }
        Properties patient = connectionProperties(url, settings, tls);
        patient.setProperty("socketTimeout", Long.toString(MAX_STATEMENT_TIME.toSeconds()));
        try (Connection connection = DriverManager.getConnection(url, patient)) {
            if (settings.rowSecurity() != RowSecurityMode.OFF) {
                RowSecurity.install(connection);
            }
            RowSecurity.requireAllRowsVisible(connection);
            return settings.rowSecurity() != RowSecurityMode.OFF;
        } catch (RowSecurity.RowSecurityUnavailableException e) {
            return handleNoRowSecurity(settings, String.valueOf(e.getMessage()), e);
        } catch (SQLException e) {
            return handleNoRowSecurity(settings, "row-level security is not in force: " + e.getMessage(), e);
        }
    }

    private static boolean handleNoRowSecurity(DatabaseSettings settings, String why, Exception cause) {
        if (settings.rowSecurity() == RowSecurityMode.REQUIRED) {
            throw new IllegalStateException(why, cause);
        }
        System.getLogger(RowSecurity.class.getName()).log(System.Logger.Level.WARNING, why);
        return false;
    }

    private static void loadDriver(String url) {
        try {
            // In an application server the driver is part of the application, where DriverManager does not search.
            Class.forName(driverClass(url), true, Database.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the JDBC driver is missing: " + driverClass(url), e);
        }
    }

    private static void awaitDatabase(String url, DatabaseSettings settings, PgTlsRegistry tls, int attempts) {
        for (int attempt = 1; ; attempt++) {
            try {
                checkConnection(url, settings, tls);
                return;
            } catch (SQLException e) {
                if (attempt == attempts || !isTransient(e)) {
                    throw new StoreUnavailableException(
                            "the database at " + JdbcUrl.printable(url) + " cannot be opened: "
                                    + settings.tls()
                                            .flatMap(of -> of.failureExplainer().apply(e))
                                            .orElseGet(() -> String.valueOf(e.getMessage())),
                            e);
                }
                sleep(settings.connectTimeout().toMillis());
            }
        }
    }

    private static void checkConnection(String url, DatabaseSettings settings, PgTlsRegistry tls) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, connectionProperties(url, settings, tls))) {
            if (JdbcUrl.isPostgreSql(url)) {
                checkEncoding(connection);
            }
        }
    }

    private static Properties connectionProperties(String url, DatabaseSettings settings, PgTlsRegistry tls) {
        Properties properties = new Properties();
        properties.putAll(tls.properties());
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password());
        if (JdbcUrl.isPostgreSql(url)) {
            String seconds = Long.toString(Math.max(1, settings.connectTimeout().toSeconds()));
            properties.setProperty("connectTimeout", seconds);
            properties.setProperty("socketTimeout", seconds);
        }
        return properties;
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

    /** A refused connection (08) or a starting server (57) may recover; a wrong password or a locked file does not. */
    private static boolean isTransient(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08") || state.startsWith("57");
    }

    static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while waiting for the database", e);
        }
    }
}
