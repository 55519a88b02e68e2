package org.sallyport.bench.service;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Fills the embedded database of a stopped service with copies of an execution that this service has run. */
public final class ExecutionSeeder {
    private static final String USER = "sallyport";
    private static final String EXECUTION_TABLE = "EXECUTION";
    private static final String EXECUTION_ID_COLUMN = "EXECUTION_ID";

    /** Creates ids of version 7, one millisecond apart, so that lists are in the order of the numbers. */
    private static final String CREATE_IDS = """
            create local temporary table numbered as select cast(
              cast((? + x) * 65536 + 28672 as binary(8)) || cast(-9223372036854775808 + x as binary(8)) as uuid) as id
            from system_range(?, ?)
            """;

    /** The copies are older than the executions of the service, so that new executions are the newest. */
    private static final Duration COPY_AGE = Duration.ofHours(2);

    private ExecutionSeeder() {}

    /**
     * Adds copies of an execution with all rows that refer to it by the column {@code EXECUTION_ID}. The rows of a
     * batch or another group to which the original belongs are not copied.
     *
     * @param data directory of the service
     * @param original id of an execution that has ended
     * @param first number of the first copy; the last existing number plus one
     * @param last number of the last copy
     */
    public static void addCopies(Path data, String original, int first, int last) throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                "jdbc:h2:file:" + data.resolve("sallyport") + ";IFEXISTS=TRUE;WRITE_DELAY=0", USER, "")) {
            try (PreparedStatement numbers = connection.prepareStatement(CREATE_IDS)) {
                numbers.setLong(1, creationTime(original).minus(COPY_AGE).toEpochMilli());
                numbers.setInt(2, first);
                numbers.setInt(3, last);
                numbers.execute();
            }
            for (Map.Entry<String, List<String>> table : tables(connection).entrySet()) {
                copy(connection, table.getKey(), table.getValue(), original);
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("analyze");
            }
        }
    }

    /** Returns the time at which the execution was created: the first 48 bits of its id. */
    private static Instant creationTime(String id) {
        return Instant.ofEpochMilli(UUID.fromString(id).getMostSignificantBits() >>> 16);
    }

    /**
     * Returns the names of the tables to copy, each with its columns: first the table of executions, then the tables
     * that refer to it.
     */
    private static Map<String, List<String>> tables(Connection connection) throws SQLException {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet columns = statement.executeQuery(
                        "select table_name, column_name from information_schema.columns where table_schema = 'PUBLIC'"
                                + " and (table_name = '" + EXECUTION_TABLE
                                + "' or table_name in (select table_name from"
                                + " information_schema.columns where table_schema = 'PUBLIC' and column_name = '"
                                + EXECUTION_ID_COLUMN
                                + "')) order by case when table_name = '" + EXECUTION_TABLE
                                + "' then 0 else 1 end, table_name")) {
            while (columns.next()) {
                tables.computeIfAbsent(columns.getString(1), any -> new ArrayList<>())
                        .add(columns.getString(2));
            }
        }
        return tables;
    }

    private static void copy(Connection connection, String table, List<String> columns, String original)
            throws SQLException {
        String id = table.equals(EXECUTION_TABLE) ? "ID" : EXECUTION_ID_COLUMN;
        String names = columns.stream().map(column -> '"' + column + '"').collect(Collectors.joining(", "));
        String values = columns.stream()
                .map(column -> column.equals(id) ? "n.id" : "t.\"" + column + '"')
                .collect(Collectors.joining(", "));
        try (PreparedStatement copies =
                connection.prepareStatement("insert into \"" + table + "\" (" + names + ") select " + values
                        + " from \"" + table + "\" t cross join numbered n where t.\"" + id + "\" = ?")) {
            copies.setObject(1, UUID.fromString(original));
            copies.executeUpdate();
        }
    }
}
