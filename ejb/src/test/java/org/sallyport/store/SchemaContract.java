package org.sallyport.store;

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

/** The entities and the migrated tables must say the same. */
abstract class SchemaContract {
    abstract TestDatabase database();

    @Test
    void everyColumnIsMappedAndEveryMappedColumnExists() throws SQLException {
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
                // Written and read by statements alone.
                .filter(column -> !column.startsWith("batch.") && !column.startsWith("batch_item."))
                .filter(column -> !column.startsWith("event_wait.") && !column.startsWith("tool_wait."))
                .filter(column -> !column.startsWith("schedule.") && !column.startsWith("schedule_run."))
                .filter(column -> !column.startsWith("span_export."))
                .filter(column -> !column.startsWith("execution_alarm.") && !column.startsWith("concurrency_"))
                .filter(column -> !column.startsWith("tenant_quota.") && !column.startsWith("call_count."))
                .filter(column -> !column.startsWith("call_cost.") && !column.startsWith("cost_"))
                .filter(column -> !column.startsWith("callback.") && !column.startsWith("callback_secret."))
                .filter(column -> !column.startsWith("tool_graph_"))
                .filter(column -> !column.startsWith("nested_run.") && !column.startsWith("nested_open."))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void ofMailsThatACallSentTwiceTheFirstStays() throws SQLException, IOException {
        String migration;
        try (InputStream file =
                SchemaContract.class.getResourceAsStream("/org/sallyport/sql/V47__demo_mail_once.sql")) {
            migration = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        }
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("drop index demo_mail_by_call");
            statement.execute("delete from demo_mail");
            statement.execute("insert into demo_mail (id, tenant, call_id, content) values"
                    + " (-4, 'a', 'x/1', '1'), (-3, 'a', 'x/1', '1'), (-2, 'b', 'x/1', '1'), (-1, 'a', 'x/2', '1')");
            for (String step : migration.split(";")) {
                if (!step.isBlank()) {
                    statement.execute(step);
                }
            }
            List<Integer> left = new ArrayList<>();
            try (ResultSet row = statement.executeQuery("select id from demo_mail order by id")) {
                while (row.next()) {
                    left.add(row.getInt(1));
                }
            }
            assertThat(left).containsExactly(-4, -2, -1);
        }
    }
}
