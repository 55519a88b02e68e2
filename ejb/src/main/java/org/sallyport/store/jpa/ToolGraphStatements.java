package org.sallyport.store.jpa;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.execution.ExecutionState;

/** SQL statements of {@link JpaToolGraphStore}, valid for H2 and PostgreSQL. */
final class ToolGraphStatements {
    static final String SELECT_CURSOR = "select through_at, through_id from tool_graph_cursor where id = 1";

    static final String INSERT_CURSOR = """
            insert into tool_graph_cursor (id, through_at, through_id)
            values (1, timestamp with time zone '1970-01-01 00:00:00+00:00', ?1)
            """;

    static final String ADVANCE_CURSOR = """
            update tool_graph_cursor set through_at = ?1, through_id = ?2
            where id = 1 and through_at = ?3 and through_id = ?4
            """;

    /**
     * Selects when the next execution ended after ?1, at least ?2 milliseconds ago. Ordered like the sweepers' index,
     * so that the database reads the row from the index and sorts nothing, however many executions have ended since.
     */
    static final String NEXT_END = """
            select min(ended_at), 0 from (
            """ + unionOfTerminalStates("""
            (select next_check_at as ended_at from execution
             where state = '%s' and next_check_at > ?1
                 and next_check_at <= current_timestamp - cast(?2 as bigint) * interval '0.001' second
             order by state, next_check_at limit 1)
            """) + ") ended";

    /**
     * Selects executions that ended after a position (?1, ?2) and not after ?4, in the order of their ends, at most ?3.
     * Marks dry runs: none of their calls teaches the graph anything.
     */
    static final String ENDED = """
            select e.id, e.tenant, e.next_check_at, e.last_seq, i.intent,
                case when i.effects like '{"fixtures"%' then 'DRY' else 'REAL' end
            from (
            """ + unionOfTerminalStates("""
            (select id, tenant, next_check_at, last_seq from execution
             where state = '%s' and next_check_at >= ?1 and next_check_at <= ?4 and (next_check_at > ?1 or id > ?2)
             order by state, next_check_at, id limit ?3)
            """) + """
            ) e left join execution_input i on i.execution_id = e.id
            order by e.next_check_at, e.id limit ?3
            """;

    private static String unionOfTerminalStates(String statement) {
        return Stream.of(ExecutionState.values())
                .filter(ExecutionState::isTerminal)
                .map(state -> statement.formatted(state.name()))
                .collect(Collectors.joining(" union all "));
    }

    /**
     * Selects the steps of the executions whose ids follow. Reads names and numbers only, neither arguments nor
     * results.
     */
    static final String STEPS = """
            select execution_id, type, call_ordinal, tool, error_code, duration_millis,
                case when replayed = true then 'AGAIN' else 'NEW' end, state
            from trace_event
            where seq <= ?1 and type in ('TOOL_STARTED', 'TOOL_ENDED', 'JUDGED') and execution_id in (""";

    static final String ORDER_BY_SEQUENCE = ") order by execution_id, seq";

    /** One kind of usage count: its table, the columns that identify a row, and the counters. */
    enum ToolGraphTable {
        TOOL("tool_graph_tool", List.of("tool"), List.of("calls", "failures", "millis", "first_calls")),
        TRANSITION("tool_graph_transition", List.of("from_tool", "to_tool"), List.of("calls", "failures")),
        INTENT("tool_graph_intent", List.of("word", "tool"), List.of("calls"));

        private final String table;
        private final String names;
        private final String nameCondition;
        private final String add;
        private final String insert;
        private final String read;

        ToolGraphTable(String table, List<String> names, List<String> counts) {
            this.table = table;
            this.names = String.join(", ", names);
            int first = 3;
            int count = first + names.size();
            int last = count + counts.size();
            this.nameCondition = numbered(names, first, "%1$s = ?%2$d", " and ");
            this.add = "update " + table + " set "
                    + numbered(counts, count, "%1$s = %1$s + ?%2$d", ", ")
                    + ", last_at = greatest(last_at, ?" + last + ") where tenant = ?1 and week = ?2 and "
                    + nameCondition;
            this.insert = "insert into " + table + " (tenant, week, " + this.names + ", "
                    + String.join(", ", counts) + ", last_at) values (?1, ?2, "
                    + numbered(names, first, "?%2$d", ", ") + ", "
                    + numbered(counts, count, "?%2$d", ", ") + ", ?" + last + ")";
            this.read = "select " + this.names + ", "
                    + counts.stream().map(each -> "sum(" + each + ")").collect(Collectors.joining(", "))
                    + ", max(last_at) from " + table + " where tenant = ?1 and week >= ?2 group by " + this.names
                    + " order by sum(calls) desc, " + this.names + " limit ?3";
        }

        private static String numbered(List<String> columns, int first, String form, String between) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < columns.size(); i++) {
                text.append(i == 0 ? "" : between).append(form.formatted(columns.get(i), first + i));
            }
            return text.toString();
        }

        /** Adds to the counters of one row. Parameters: tenant, week, names, counts, time of the last use. */
        String updateSql() {
            return add;
        }

        /** Inserts the row if {@link #updateSql} finds none. The parameters are the same. */
        String insertSql() {
            return insert;
        }

        /** Reads the sums since a week. Parameters: tenant, first week, maximum number of rows. */
        String readSql() {
            return read;
        }

        String countSql() {
            return "select count(*), 0 from " + table + " where tenant = ?1 and week = ?2";
        }

        /** Selects the names of the rows with the fewest calls. Parameters: tenant, week, number of rows. */
        String leastUsedSql() {
            return "select " + names + ", 0 from " + table
                    + " where tenant = ?1 and week = ?2 order by calls, last_at, " + names + " limit ?3";
        }

        /** Deletes one row. Parameters: tenant, week, names. */
        String deleteSql() {
            return "delete from " + table + " where tenant = ?1 and week = ?2 and " + nameCondition;
        }

        String oldestSql() {
            return "select tenant, week from " + table + " where week < ?1 order by week limit 1";
        }

        String forgetSql() {
            return "delete from " + table + " where tenant = ?1 and week = ?2";
        }
    }

    private ToolGraphStatements() {}
}
