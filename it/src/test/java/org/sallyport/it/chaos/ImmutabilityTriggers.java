package org.sallyport.it.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sallyport.it.harness.PostgreSql;

/**
 * Triggers that record every change of immutable data. Only for PostgreSQL, because H2 has no procedural language for
 * triggers.
 */
final class ImmutabilityTriggers {
    /** The function writes with the rights of its creator, which the service does not have. */
    private static final String CREATE_TRIGGER_FUNCTION = """
            create table chaos_change (what text);
            create function chaos_note() returns trigger language plpgsql security definer as $$
            begin
                insert into chaos_change values (tg_op || ' ' || tg_table_name || ' ' || cast(old as text));
                return coalesce(new, old);
            end $$
            """;

    private static final Map<String, String> CONDITIONS_BY_TABLE = Map.of(
            "execution", "old.state in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')",
            "execution_input", "true",
            "execution_outcome", "true",
            "trace_event", "true",
            "output_chunk", "true");

    private ImmutabilityTriggers() {}

    static void install(PostgreSql database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE_TRIGGER_FUNCTION);
            for (Map.Entry<String, String> each : CONDITIONS_BY_TABLE.entrySet()) {
                statement.execute("create trigger chaos_watch before update or delete on " + each.getKey()
                        + " for each row when (" + each.getValue() + ") execute function chaos_note()");
            }
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be watched", e);
        }
    }

    /** The changes of immutable data that were recorded. */
    static List<String> recordedChanges(PostgreSql database) {
        List<String> changes = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select what from chaos_change")) {
            while (rows.next()) {
                changes.add(rows.getString(1));
            }
            return changes;
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be read", e);
        }
    }
}
