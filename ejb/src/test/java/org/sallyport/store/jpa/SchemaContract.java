package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Column;
import jakarta.persistence.Table;
import jakarta.persistence.metamodel.EntityType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The entities and the migrated tables must match. */
abstract class SchemaContract {
    abstract TestDatabase database();

    @Test
    void mappedColumnsMatchTheSchema() throws SQLException {
        Set<String> mapped = new TreeSet<>();
        Set<EntityType<?>> entities =
                database().database().read(session -> session.getMetamodel().getEntities());
        assertThat(entities).isNotEmpty();
        for (EntityType<?> entity : entities) {
            String table = entity.getJavaType().getAnnotation(Table.class).name();
            Arrays.stream(entity.getJavaType().getDeclaredFields())
                    .filter(field -> field.isAnnotationPresent(Column.class))
                    .forEach(field -> mapped.add(
                            table + "." + field.getAnnotation(Column.class).name()));
            assertThat(entity.getAttributes()).hasSize((int) mapped.stream()
                    .filter(column -> column.startsWith(table + "."))
                    .count());
        }
        assertThat(mapped).isEqualTo(columns());
    }

    private Set<String> columns() throws SQLException {
        Set<String> columns = new TreeSet<>();
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select table_name, column_name from information_schema.columns"
                        + " where lower(table_schema) = 'public'")) {
            while (row.next()) {
                columns.add((row.getString(1) + "." + row.getString(2)).toLowerCase(Locale.ROOT));
            }
        }
        return columns.stream()
                .filter(column -> !column.startsWith("flyway_schema_history."))
                // Tables and columns that only SQL statements write and read.
                .filter(column -> !column.startsWith("batch.") && !column.startsWith("batch_item."))
                .filter(column -> !column.startsWith("batch_row."))
                .filter(column -> !column.startsWith("event_wait.") && !column.startsWith("tool_wait."))
                .filter(column -> !column.startsWith("schedule.") && !column.startsWith("schedule_"))
                .filter(column -> !column.startsWith("span_export."))
                .filter(column -> !column.startsWith("execution_alarm.") && !column.startsWith("concurrency_"))
                .filter(column -> !column.startsWith("tenant_quota.") && !column.startsWith("call_count."))
                .filter(column -> !column.startsWith("call_cost.") && !column.startsWith("cost_"))
                .filter(column -> !column.startsWith("callback.") && !column.startsWith("callback_secret."))
                .filter(column -> !column.startsWith("tool_graph_"))
                .filter(column ->
                        !column.startsWith("nested_execution.") && !column.startsWith("nested_execution_active."))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** H2 commits each statement: after a crash in the middle of a file, the next start runs the whole file again. */
    @Test
    void everyMigrationIsRepeatable() throws SQLException, IOException {
        Set<String> before = columns();
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement()) {
            List<String> scripts = scripts(statement);
            assertThat(scripts).isNotEmpty();
            for (String script : scripts) {
                statement.execute(text(script));
            }
        }
        assertThat(columns()).isEqualTo(before);
    }

    private static List<String> scripts(Statement statement) throws SQLException {
        List<String> scripts = new ArrayList<>();
        try (ResultSet row = statement.executeQuery("select \"script\" from \"flyway_schema_history\""
                + " where \"version\" is not null order by \"installed_rank\"")) {
            while (row.next()) {
                scripts.add(row.getString(1));
            }
        }
        return scripts;
    }

    private static String text(String script) throws IOException {
        try (InputStream file = SchemaContract.class.getResourceAsStream("/org/sallyport/schema/" + script)) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
