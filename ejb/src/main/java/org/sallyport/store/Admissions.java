package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.execution.Admission;
import org.sallyport.execution.NewExecution;

/**
 * Writes when executions may begin and must have ended, and what they may not run beside, within the transactions that store them. Whoever says nothing of it pays
 * for nothing.
 */
final class Admissions {
    /** An ISO time or '' (?1), milliseconds that count without one (?2), and the execution (?3); each once and in order, for JDBC. */
    private static final String NOT_BEFORE = """
            update execution set not_before = coalesce(
                cast(nullif(cast(?1 as varchar), '') as timestamp(6) with time zone),
                current_timestamp + cast(?2 as bigint) * interval '0.001' second)
            where id = ?3
            """;

    /** What is held longer, by its batch, stays so. Its job counts as lost when nobody takes it for a while (?1) after its time. */
    private static final String CHECK_LATER = """
            update execution set next_check_at =
                greatest(next_check_at, not_before + cast(?1 as bigint) * interval '0.001' second)
            where id = ?2
            """;

    private static final String SET_START =
            "insert into execution_alarm (execution_id, kind, at) select id, 'START', not_before from execution where id = ?1";

    private static final String ENDS_BY =
            "update execution set ends_by = cast(cast(?1 as varchar) as timestamp(6) with time zone) where id = ?2";

    private static final String SET_END =
            "insert into execution_alarm (execution_id, kind, at) select id, 'END', ends_by from execution where id = ?1";

    private static final String KEY = "update execution set concurrency_key = ?1, awaits_turn = true where id = ?2";

    private static final String TAKE_NUMBER =
            "insert into concurrency_turn (execution_id, tenant, name, priority, standing) values (?1, ?2, ?3, ?4, 'NEW')";

    private Admissions() {}

    private record Step(String statement, List<Object> parameters) {
        Step(String statement, Object... parameters) {
            this(statement, List.of(parameters));
        }
    }

    private static List<Step> steps(NewExecution execution, long firstCheckMillis) {
        Admission admission = execution.admission();
        if (admission.equals(Admission.NONE)) {
            return List.of();
        }
        List<Step> steps = new ArrayList<>();
        Object id = execution.id().value();
        if (admission.delayed()) {
            steps.add(new Step(
                    NOT_BEFORE,
                    admission.notBefore().map(Instant::toString).orElse(""),
                    admission.delay().map(Duration::toMillis).orElse(0L),
                    id));
            steps.add(new Step(CHECK_LATER, firstCheckMillis, id));
            steps.add(new Step(SET_START, id));
        }
        admission.deadline().ifPresent(deadline -> {
            steps.add(new Step(ENDS_BY, deadline.toString(), id));
            steps.add(new Step(SET_END, id));
        });
        admission.concurrencyKey().map(LosslessText::encode).ifPresent(key -> {
            steps.add(new Step(KEY, key, id));
            steps.add(new Step(TAKE_NUMBER, id, LosslessText.encode(execution.tenant()), key, execution.priority()));
        });
        return steps;
    }

    /** Of one that was inserted just now. */
    static void write(EntityManager session, NewExecution execution, long firstCheckMillis) {
        for (Step step : steps(execution, firstCheckMillis)) {
            JpaBatchStore.query(session, step.statement(), step.parameters().toArray())
                    .executeUpdate();
        }
    }

    /** As {@link #write}, for many at once. */
    static final class Inserts implements AutoCloseable {
        private final Connection connection;
        private final long firstCheckMillis;
        private final Map<String, PreparedStatement> statements = new LinkedHashMap<>();

        Inserts(Connection connection, long firstCheckMillis) {
            this.connection = connection;
            this.firstCheckMillis = firstCheckMillis;
        }

        void add(NewExecution execution) throws SQLException {
            for (Step step : steps(execution, firstCheckMillis)) {
                PreparedStatement statement = statements.get(step.statement());
                if (statement == null) {
                    statement = connection.prepareStatement(step.statement().replaceAll("\\?\\d", "?"));
                    statements.put(step.statement(), statement);
                }
                for (int i = 0; i < step.parameters().size(); i++) {
                    statement.setObject(i + 1, step.parameters().get(i));
                }
                statement.addBatch();
            }
        }

        /** After the executions themselves. */
        void flush() throws SQLException {
            for (PreparedStatement statement : statements.values()) {
                statement.executeBatch();
            }
        }

        @Override
        public void close() throws SQLException {
            for (PreparedStatement statement : statements.values()) {
                statement.close();
            }
        }
    }
}
