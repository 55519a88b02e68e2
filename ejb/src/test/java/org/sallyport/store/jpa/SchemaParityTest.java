package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The migrations create the same schema on H2 and PostgreSQL. */
class SchemaParityTest {
    private static final String WHERE_APPLICATION_TABLES =
            " where lower(t.table_schema) = 'public' and lower(t.table_name) <> 'flyway_schema_history'";

    private static final String TABLES =
            "select t.table_schema, t.table_name from information_schema.tables t" + WHERE_APPLICATION_TABLES;

    private static final String COLUMNS = """
            select t.table_name, t.ordinal_position, t.column_name, t.data_type, t.character_maximum_length,
                t.datetime_precision, t.is_nullable, t.column_default
            from information_schema.columns t""" + WHERE_APPLICATION_TABLES;

    /** Primary, unique and foreign keys, one row for each column. */
    private static final String KEYS = """
            select t.table_name, t.constraint_name, t.constraint_type, r.unique_constraint_name, r.delete_rule,
                k.ordinal_position, k.column_name, k.position_in_unique_constraint
            from information_schema.table_constraints t
            join information_schema.key_column_usage k
                on k.constraint_schema = t.constraint_schema and k.constraint_name = t.constraint_name
                    and k.table_name = t.table_name
            left join information_schema.referential_constraints r
                on r.constraint_schema = t.constraint_schema and r.constraint_name = t.constraint_name
            """ + WHERE_APPLICATION_TABLES;

    /** PostgreSQL lists columns that are not null as checks. */
    private static final String CHECKS =
            "select t.table_name, t.constraint_name from information_schema.table_constraints t"
                    + WHERE_APPLICATION_TABLES
                    + " and t.constraint_type = 'CHECK' and t.constraint_name not like '%_not_null'";

    private static final String CONSTRAINTS =
            "select t.constraint_name from information_schema.table_constraints t" + WHERE_APPLICATION_TABLES;

    private static final String SEQUENCES = """
            select sequence_name, data_type, start_value, increment from information_schema.sequences
            where lower(sequence_schema) = 'public'""";

    /** Names that differ between H2 and PostgreSQL. H2 turns {@code text} into {@code character varying}. */
    private static final Map<String, String> COMMON_NAMES = Map.of(
            "text", "character varying",
            "binary varying", "bytea",
            "restrict", "no action");

    /** H2 reports at least this length for a type without a length; PostgreSQL reports none. */
    private static final int H2_UNBOUNDED_LENGTH = 1_000_000;

    /** Suffix that H2 appends to the name of a constraint for the index that enforces it. */
    private static final Pattern GENERATED = Pattern.compile("_index_[0-9a-f]+$");

    private static TestDatabase h2;
    private static TestDatabase postgreSql;

    @BeforeAll
    static void open() {
        h2 = TestDatabase.h2();
        postgreSql = TestDatabase.postgreSql();
    }

    @AfterAll
    static void close() throws Exception {
        h2.close();
        postgreSql.close();
    }

    /** Reads one kind of schema object, as one line for each object. */
    private interface SchemaReader {
        List<String> read(Connection connection) throws SQLException;
    }

    private static void assertSame(SchemaReader reader) throws SQLException {
        try (Connection ofH2 = h2.connect();
                Connection ofPostgreSql = postgreSql.connect()) {
            assertThat(reader.read(ofH2)).isNotEmpty().containsExactlyInAnyOrderElementsOf(reader.read(ofPostgreSql));
        }
    }

    @Test
    void tablesAreTheSame() throws SQLException {
        assertSame(connection -> lines(connection, TABLES));
    }

    @Test
    void columnsHaveTheSamePositionsTypesAndDefaults() throws SQLException {
        assertSame(connection -> lines(connection, COLUMNS));
    }

    @Test
    void primaryUniqueAndForeignKeysAreTheSame() throws SQLException {
        assertSame(connection -> lines(connection, KEYS));
    }

    /** Compares only names, because each database prints the condition in its own way. */
    @Test
    void checksHaveTheSameNames() throws SQLException {
        assertSame(connection -> lines(connection, CHECKS));
    }

    @Test
    void indexesHaveTheSameColumnsInTheSameOrder() throws SQLException {
        assertSame(SchemaParityTest::indexes);
    }

    @Test
    void sequencesAreTheSame() throws SQLException {
        assertSame(connection -> lines(connection, SEQUENCES));
    }

    private static List<String> lines(Connection connection, String query) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    values.add(normalize(row.getString(i)));
                }
                lines.add(String.join(" | ", values));
            }
        }
        return lines;
    }

    private static String normalize(@Nullable String value) {
        if (value == null || value.matches("[0-9]{7,}") && Long.parseLong(value) >= H2_UNBOUNDED_LENGTH) {
            return "-";
        }
        // PostgreSQL appends the type to a text default.
        String plain = value.replaceFirst("::.*", "").toLowerCase(Locale.ROOT);
        return COMMON_NAMES.getOrDefault(plain, plain);
    }

    /** Indexes, without those that enforce constraints: H2 creates one for each foreign key, PostgreSQL none. */
    private static List<String> indexes(Connection connection) throws SQLException {
        List<String> constraints = lines(connection, CONSTRAINTS);
        Map<String, StringBuilder> indexes = new TreeMap<>();
        for (String[] table : tables(connection)) {
            try (ResultSet row = connection.getMetaData().getIndexInfo(null, table[0], table[1], false, true)) {
                while (row.next()) {
                    String name = normalize(row.getString("INDEX_NAME"));
                    if (!name.startsWith("primary_key_")
                            && !constraints.contains(GENERATED.matcher(name).replaceFirst(""))) {
                        indexes.computeIfAbsent(
                                        normalize(table[1]) + " | " + name
                                                + (row.getBoolean("NON_UNIQUE") ? "" : " unique"),
                                        any -> new StringBuilder())
                                .append(" | ")
                                .append(normalize(row.getString("COLUMN_NAME")))
                                .append("D".equals(row.getString("ASC_OR_DESC")) ? " desc" : "");
                    }
                }
            }
        }
        return indexes.entrySet().stream()
                .map(index -> index.getKey() + index.getValue())
                .toList();
    }

    private static List<String[]> tables(Connection connection) throws SQLException {
        List<String[]> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TABLES)) {
            while (row.next()) {
                tables.add(new String[] {row.getString(1), row.getString(2)});
            }
        }
        return tables;
    }
}
