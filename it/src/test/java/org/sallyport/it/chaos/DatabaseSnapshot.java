package org.sallyport.it.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The content of a database at one moment.
 *
 * @param states states of all executions, by id
 * @param endedExecutions all stored data of executions that had ended, by id: row, outcome, trace and output
 * @param counterTotals values of the demo backend's counters, by name
 * @param callsByCounter the calls that raised each counter, by its name
 * @param activeBatches batches that may still start items, by id
 * @param parents the calling execution of each nested one, by the id of the nested one
 * @param scheduleTimes the times for which a schedule started executions, in order
 */
record DatabaseSnapshot(
        Map<String, String> states,
        Map<String, String> endedExecutions,
        Map<String, Long> counterTotals,
        Map<String, List<String>> callsByCounter,
        List<String> activeBatches,
        Map<String, String> parents,
        List<Instant> scheduleTimes) {
    private static final String ENDED_STATES = "('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')";
    private static final List<String> ENDED_QUERIES = List.of(
            "select * from execution where state in " + ENDED_STATES,
            "select o.* from execution_outcome o join execution e on e.id = o.execution_id where e.state in "
                    + ENDED_STATES,
            "select t.execution_id, t.* from trace_event t join execution e on e.id = t.execution_id where e.state in "
                    + ENDED_STATES + " order by t.execution_id, t.seq",
            "select c.execution_id, c.* from output_chunk c join execution e on e.id = c.execution_id where e.state in "
                    + ENDED_STATES + " order by c.execution_id, c.kind, c.start_offset");

    static DatabaseSnapshot read(Connection connection) throws SQLException {
        Map<String, String> states = new LinkedHashMap<>();
        Map<String, StringBuilder> kept = new HashMap<>();
        Map<String, Long> counts = new HashMap<>();
        Map<String, List<String>> ledger = new HashMap<>();
        forEachRow(
                connection, "select id, state from execution", row -> states.put(row.getString(1), row.getString(2)));
        for (String query : ENDED_QUERIES) {
            forEachRow(connection, query, row -> {
                StringBuilder all = kept.computeIfAbsent(row.getString(1), id -> new StringBuilder());
                for (int i = 2; i <= row.getMetaData().getColumnCount(); i++) {
                    all.append(row.getString(i)).append('|');
                }
                all.append('\n');
            });
        }
        forEachRow(
                connection, "select name, total from demo_count", row -> counts.put(row.getString(1), row.getLong(2)));
        forEachRow(
                connection,
                "select name, call_id from demo_ledger",
                row -> ledger.computeIfAbsent(row.getString(1), name -> new ArrayList<>())
                        .add(row.getString(2)));
        Map<String, String> ended = new HashMap<>();
        kept.forEach((id, text) -> ended.put(id, text.toString()));
        List<String> active = new ArrayList<>();
        forEachRow(connection, "select id from batch where active = true", row -> active.add(row.getString(1)));
        Map<String, String> parents = new HashMap<>();
        forEachRow(
                connection,
                "select execution_id, parent_id from nested_execution",
                row -> parents.put(row.getString(1), row.getString(2)));
        List<Instant> times = new ArrayList<>();
        forEachRow(
                connection,
                "select r.at from schedule_run r where r.at is not null order by r.at",
                row -> times.add(row.getObject(1, OffsetDateTime.class).toInstant()));
        return new DatabaseSnapshot(states, ended, counts, ledger, active, parents, times);
    }

    /** The ids of the executions nested in one, and of those nested in them. */
    Set<String> nestedIn(String execution) {
        Set<String> nested = new HashSet<>();
        parents.forEach((child, parent) -> {
            if (parent.equals(execution)) {
                nested.add(child);
                nested.addAll(nestedIn(child));
            }
        });
        return nested;
    }

    /**
     * Finds executions that had ended in an earlier snapshot and that are not the same in this one.
     *
     * @param erased executions that callers have erased
     */
    List<String> findChanges(List<DatabaseSnapshot> earlier, Set<String> erased) {
        Map<String, String> changes = new HashMap<>();
        for (DatabaseSnapshot before : earlier) {
            before.endedExecutions().forEach((id, was) -> {
                String is = endedExecutions.getOrDefault(id, "missing");
                if (!was.equals(is) && !erased.contains(id)) {
                    changes.putIfAbsent(id, id + " was\n" + was + "and is\n" + is);
                }
            });
        }
        return List.copyOf(changes.values());
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private static void forEachRow(Connection connection, String query, RowReader reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }
}
