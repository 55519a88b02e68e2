package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** A PostgreSQL that is configured to lose the last commits in a crash. */
class SynchronousCommitTest {
    @Test
    void commitIsDurableEvenIfTheServerDisablesIt() throws Exception {
        try (TestDatabase database = TestDatabase.postgreSql()) {
            assertThat(asConfigured(database)).isEqualTo("off");
            assertThat(inSallyport(database.database())).isEqualTo("on");
        }
    }

    @Test
    void strongerCommitSettingOfTheServerIsKept() throws Exception {
        try (TestDatabase server = TestDatabase.postgreSql()) {
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "ALTER DATABASE " + connection.getCatalog() + " SET synchronous_commit = remote_apply");
            }
            try (Database reopened = Database.open(server.settings())) {
                assertThat(inSallyport(reopened)).isEqualTo("remote_apply");
            }
        }
    }

    private static String asConfigured(TestDatabase database) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SHOW synchronous_commit")) {
            row.next();
            return row.getString(1);
        }
    }

    private static String inSallyport(Database database) {
        return database.read(session -> session.createNativeQuery("SELECT current_setting('synchronous_commit')")
                .getSingleResult()
                .toString());
    }
}
