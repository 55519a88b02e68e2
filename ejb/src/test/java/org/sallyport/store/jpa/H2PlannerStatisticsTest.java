package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class H2PlannerStatisticsTest {
    private static final int DEFAULT_SELECTIVITY = 50;

    @TempDir
    private Path directory;

    /** By default, H2 reads a table after 2,000 changes, within the commit of the last one. */
    @Test
    void commitsDoNotReadTables() throws Exception {
        try (TestDatabase database = TestDatabase.h2();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (int start = 0; start < 10_000; start += 1_000) {
                statement.execute("insert into demo_count (tenant, name, total, calls)"
                        + " select 't', 'n' || x, 1, 1 from system_range(" + (start + 1) + ", " + (start + 1_000)
                        + ")");
            }
            assertThat(selectivity(statement, "NAME")).isEqualTo(DEFAULT_SELECTIVITY);
            assertThat(selectivity(statement, "TENANT")).isEqualTo(1);
        }
    }

    @Test
    void estimatesOfAnAnalyzedDatabaseAreReplaced() throws Exception {
        DatabaseSettings settings = TestDatabase.h2(directory);
        Database.open(settings).close();
        try (Connection connection = connect(settings);
                Statement statement = connection.createStatement()) {
            statement.execute("alter table demo_count alter column name selectivity 7");
            statement.execute("alter table demo_count alter column tenant selectivity 7");
        }
        Database.open(settings).close();
        try (Connection connection = connect(settings);
                Statement statement = connection.createStatement()) {
            assertThat(selectivity(statement, "NAME")).isEqualTo(DEFAULT_SELECTIVITY);
            assertThat(selectivity(statement, "TENANT")).isEqualTo(1);
        }
    }

    private static Connection connect(DatabaseSettings settings) throws SQLException {
        return DriverManager.getConnection(JdbcUrl.complete(settings.url()), settings.user(), settings.password());
    }

    private static int selectivity(Statement statement, String column) throws SQLException {
        try (ResultSet row = statement.executeQuery("select selectivity from information_schema.columns"
                + " where table_name = 'DEMO_COUNT' and column_name = '" + column + "'")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }
}
