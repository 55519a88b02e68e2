package org.sallyport.store.jpa;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Tells the query planner of H2 at each start which of the columns by which pages are selected have few different
 * values, so that pages are read in the order of an index instead of being sorted. All others get the default of H2. H2
 * could find that out itself ({@code ANALYZE_AUTO}), but it would read up to 10,000 rows with all their texts for it,
 * within the commit of a write, while all other writes wait.
 */
final class H2PlannerStatistics implements Callback {
    /** Columns that have been analyzed, or are new, with the estimates that they get. */
    private static final String OTHER_ESTIMATES = "select * from (select c.table_name, c.column_name, c.selectivity,"
            + " case when c.column_name in ('TENANT', 'STATE', 'PAUSED', 'BATCH_QUEUED') then 1 else 50 end as wanted"
            + " from information_schema.columns c join information_schema.tables t using (table_schema, table_name)"
            + " where c.table_schema = 'PUBLIC' and t.table_type = 'BASE TABLE') where selectivity <> wanted";

    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.AFTER_MIGRATE;
    }

    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
        return true;
    }

    @Override
    public void handle(Event event, Context context) {
        try {
            declare(context.getConnection());
        } catch (SQLException e) {
            throw new FlywayException("the statistics for the query planner could not be set", e);
        }
    }

    @Override
    public String getCallbackName() {
        return "planner-statistics";
    }

    private static void declare(Connection connection) throws SQLException {
        List<String> declarations = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet columns = statement.executeQuery(OTHER_ESTIMATES)) {
                while (columns.next()) {
                    declarations.add("alter table \"" + columns.getString(1) + "\" alter column \""
                            + columns.getString(2) + "\" selectivity " + columns.getInt("wanted"));
                }
            }
            for (String declaration : declarations) {
                statement.execute(declaration);
            }
        }
    }
}
