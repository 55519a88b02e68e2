package org.sallyport.it.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a database held at one moment.
 *
 * @param states of all executions, by id
 * @param ended everything kept of executions that had ended, by id: row, outcome, trace and output
 * @param counts what the demo backend's counters stand at, by name
 * @param ledger the calls that raised them, by name
 */
record Books(
        Map<String, String> states,
        Map<String, String> ended,
        Map<String, Long> counts,
        Map<String, List<String>> ledger) {
    private static final String ENDED = "('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')";
    private static final List<String> OF_THE_ENDED = List.of(
            "select * from execution where state in " + ENDED,
            "select o.* from execution_outcome o join execution e on e.id = o.execution_id where e.state in " + ENDED,
            "select t.execution_id, t.* from trace_event t join execution e on e.id = t.execution_id where e.state in "
                    + ENDED + " order by t.execution_id, t.seq",
            "select c.execution_id, c.* from output_chunk c join execution e on e.id = c.execution_id where e.state in "
                    + ENDED + " order by c.execution_id, c.kind, c.start_offset");

    static Books read(Connection connection) throws SQLException {
        Map<String, String> states = new LinkedHashMap<>();
        Map<String, StringBuilder> kept = new HashMap<>();
        Map<String, Long> counts = new HashMap<>();
        Map<String, List<String>> ledger = new HashMap<>();
        each(connection, "select id, state from execution", row -> states.put(row.getString(1), row.getString(2)));
        for (String query : OF_THE_ENDED) {
            each(connection, query, row -> {
                StringBuilder all = kept.computeIfAbsent(row.getString(1), id -> new StringBuilder());
                for (int i = 2; i <= row.getMetaData().getColumnCount(); i++) {
                    all.append(row.getString(i)).append('|');
                }
                all.append('\n');
            });
        }
        each(connection, "select name, total from demo_count", row -> counts.put(row.getString(1), row.getLong(2)));
        each(
                connection,
                "select name, call_id from demo_ledger",
                row -> ledger.computeIfAbsent(row.getString(1), name -> new ArrayList<>())
                        .add(row.getString(2)));
        Map<String, String> ended = new HashMap<>();
        kept.forEach((id, text) -> ended.put(id, text.toString()));
        return new Books(states, ended, counts, ledger);
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private static void each(Connection connection, String query, RowReader reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }
}
