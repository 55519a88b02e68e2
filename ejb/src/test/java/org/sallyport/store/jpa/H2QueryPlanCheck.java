package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Checks that H2 answers ordered queries with a row limit in the order of an index. Otherwise it reads and sorts all
 * matching rows, for a page as for the whole list.
 */
final class H2QueryPlanCheck {
    private static final Pattern PAGE = Pattern.compile("order by .*(limit|fetch)", Pattern.DOTALL);

    /** Parts of statements that may sort. */
    private static final List<String> MAY_SORT = List.of(
            // Few rows by their nature: versions of one name, names, approvals of one execution, sums by name.
            "from capability where",
            "select distinct name from capability",
            "from policy where",
            "from approval where (((execution_id",
            "from approval where ((((execution_id",
            "from cost_day",
            "from tool_graph_",
            // Events of some names: of rare ones, or of all and then selected, as the planner estimates.
            "from event where (((tenant = ?) and (name in",
            // Rows that are due now, which several threads claim concurrently.
            "from callback\nwhere state = 'due'",
            "from approval where state = 'pending' and expires_at",
            "from approval\nwhere remind_at between");

    private H2QueryPlanCheck() {}

    static void recordStatements(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set query_statistics true");
            statement.execute("set query_statistics_max_entries 5000");
        }
    }

    /** Asserts it for all statements since {@link #recordStatements}. */
    static void assertIndexSorted(TestDatabase database) throws SQLException {
        List<String> sorting = new ArrayList<>();
        try (Connection connection = database.connect()) {
            List<String> queries = recordedPageQueries(connection);
            assertThat(queries).as("statements of the tests before this one").hasSizeGreaterThan(20);
            for (String asked : queries) {
                String plan = explain(connection, asked);
                if (!plan.contains("/* index sorted */")) {
                    sorting.add(asked + "\n    " + plan.replaceAll("\\s+", " "));
                }
            }
        }
        assertThat(sorting).as("statements that sort").isEmpty();
    }

    private static List<String> recordedPageQueries(Connection connection) throws SQLException {
        List<String> asked = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet all =
                        statement.executeQuery("select sql_statement from information_schema.query_statistics")) {
            while (all.next()) {
                String text = all.getString(1);
                String small = text.toLowerCase(Locale.ROOT);
                if (PAGE.matcher(small).find() && MAY_SORT.stream().noneMatch(small::contains)) {
                    asked.add(text);
                }
            }
        }
        return asked;
    }

    private static String explain(Connection connection, String text) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("explain " + text)) {
            for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                statement.setNull(i, Types.NULL);
            }
            try (ResultSet plan = statement.executeQuery()) {
                plan.next();
                return plan.getString(1);
            }
        }
    }
}
