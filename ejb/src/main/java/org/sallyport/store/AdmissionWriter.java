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
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.NewExecution;

/**
 * Writes when executions may begin and must have ended, and what they may not run beside, within the transactions that store them. Whoever says nothing of it pays
 * for nothing.
 */
final class AdmissionWriter {
    /** An ISO time or '' (?1), milliseconds that count without one (?2), and the execution (?3); each once and in order, for JDBC. */
    private static final String SET_NOT_BEFORE = """
            update execution set not_before = coalesce(
                cast(nullif(cast(?1 as varchar), '') as timestamp(6) with time zone),
                current_timestamp + cast(?2 as bigint) * interval '0.001' second)
            where id = ?3
            """;

    /** What is held longer, by its batch, stays so. Its job counts as lost when nobody takes it for a while (?1) after its time. */
    private static final String POSTPONE_CHECK = """
            update execution set next_check_at =
                greatest(next_check_at, not_before + cast(?1 as bigint) * interval '0.001' second)
            where id = ?2
            """;

    private static final String INSERT_START_ALARM =
            "insert into execution_alarm (execution_id, kind, at) select id, 'START', not_before from execution where id = ?1";

    private static final String SET_DEADLINE =
            "update execution set ends_by = cast(cast(?1 as varchar) as timestamp(6) with time zone) where id = ?2";

    private static final String INSERT_DEADLINE_ALARM =
            "insert into execution_alarm (execution_id, kind, at) select id, 'END', ends_by from execution where id = ?1";

    private static final String SET_CONCURRENCY_KEY =
            "update execution set concurrency_key = ?1, awaits_turn = true where id = ?2";

    private static final String INSERT_TURN =
            "insert into concurrency_turn (execution_id, tenant, name, priority, standing) values (?1, ?2, ?3, ?4, 'NEW')";

    private AdmissionWriter() {}

    private record AdmissionStatement(String statement, List<Object> parameters) {
        AdmissionStatement(String statement, Object... parameters) {
            this(statement, List.of(parameters));
        }
    }

    private static List<AdmissionStatement> statementsFor(NewExecution execution, long firstCheckMillis) {
        AdmissionConstraints admission = execution.admission();
        if (admission.equals(AdmissionConstraints.NONE)) {
            return List.of();
        }
        List<AdmissionStatement> steps = new ArrayList<>();
        Object id = execution.id().value();
        if (admission.isDelayed()) {
            steps.add(new AdmissionStatement(
                    SET_NOT_BEFORE,
                    admission.notBefore().map(Instant::toString).orElse(""),
                    admission.delay().map(Duration::toMillis).orElse(0L),
                    id));
            steps.add(new AdmissionStatement(POSTPONE_CHECK, firstCheckMillis, id));
            steps.add(new AdmissionStatement(INSERT_START_ALARM, id));
        }
        admission.deadline().ifPresent(deadline -> {
            steps.add(new AdmissionStatement(SET_DEADLINE, deadline.toString(), id));
            steps.add(new AdmissionStatement(INSERT_DEADLINE_ALARM, id));
        });
        admission.concurrencyKey().map(LosslessText::encode).ifPresent(key -> {
            steps.add(new AdmissionStatement(SET_CONCURRENCY_KEY, key, id));
            steps.add(new AdmissionStatement(
                    INSERT_TURN, id, LosslessText.encode(execution.tenant()), key, execution.priority()));
        });
        return steps;
    }

    /** Of one that was inserted just now. */
    static void write(EntityManager session, NewExecution execution, long firstCheckMillis) {
        for (AdmissionStatement step : statementsFor(execution, firstCheckMillis)) {
            JpaBatchStore.nativeQuery(
                            session, step.statement(), step.parameters().toArray())
                    .executeUpdate();
        }
    }

    /** As {@link #write}, for many at once. */
    static final class BulkAdmissionWriter implements AutoCloseable {
        private final Connection connection;
        private final long firstCheckMillis;
        private final Map<String, PreparedStatement> statements = new LinkedHashMap<>();

        BulkAdmissionWriter(Connection connection, long firstCheckMillis) {
            this.connection = connection;
            this.firstCheckMillis = firstCheckMillis;
        }

        void add(NewExecution execution) throws SQLException {
            for (AdmissionStatement step : statementsFor(execution, firstCheckMillis)) {
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
