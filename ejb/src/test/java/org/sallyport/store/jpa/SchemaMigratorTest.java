package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaMigratorTest {
    @TempDir
    private Path directory;

    @Test
    void schemaOfAnotherBuildStopsTheStartWithAdvice() throws SQLException {
        alterSchema("update \"flyway_schema_history\" set \"checksum\" = 1 where \"version\" = '1'");
        assertThatThrownBy(this::open)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("the schema of the database at jdbc:h2:file:" + directory.resolve("db") + " was made by"
                        + " another build before the first release and cannot be upgraded;"
                        + " start on an empty database or data directory");
    }

    @Test
    void failedMigrationIsNotReportedAsAnotherBuild() throws SQLException {
        alterSchema("update \"flyway_schema_history\" set \"success\" = false where \"version\" = '1'");
        assertThatThrownBy(this::open)
                .isInstanceOf(FlywayValidateException.class)
                .hasMessageContaining("Detected failed migration to version 1");
    }

    private void open() {
        Database.open(TestDatabase.h2(directory)).close();
    }

    /** Changes a schema that this build created. */
    private void alterSchema(String change) throws SQLException {
        open();
        DatabaseSettings settings = TestDatabase.h2(directory);
        try (Connection connection = DriverManager.getConnection(
                        JdbcUrl.complete(settings.url()), settings.user(), settings.password());
                Statement statement = connection.createStatement()) {
            statement.execute(change);
        }
    }
}
