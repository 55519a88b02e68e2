package org.sallyport.store.jpa;

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
 * Writes the admission constraints of new executions: start time, deadline, concurrency key and retry policy. Runs in
 * the transaction that stores the execution. An execution without constraints costs no statement.
 */
final class AdmissionWriter {
    /**
     * Parameters: an ISO time or '' (?1), the delay in milliseconds that applies if ?1 is '' (?2), and the execution
     * (?3). Each occurs once and in order, because JDBC numbers parameters by position.
     */
    private static final String SET_NOT_BEFORE = """
            update execution set not_before = coalesce(
                cast(nullif(cast(?1 as varchar), '') as timestamp(6) with time zone),
                current_timestamp + cast(?2 as bigint) * interval '0.001' second)
            where id = ?3
            """;

    /**
     * Keeps a later check, which the batch of the execution may have set. The job counts as lost if no node claims the
     * execution within ?1 milliseconds after its start time.
     */
    private static final String POSTPONE_CHECK = """
            update execution set next_check_at =
                greatest(next_check_at, not_before + cast(?1 as bigint) * interval '0.001' second)
            where id = ?2
            """;

    private static final String INSERT_START_ALARM =
            "insert into execution_alarm (execution_id, kind, at) select id, 'START', not_before from execution where "
                    + "id = ?1";

    private static final String SET_DEADLINE =
            "update execution set ends_by = cast(cast(?1 as varchar) as timestamp(6) with time zone) where id = ?2";

    private static final String INSERT_DEADLINE_ALARM =
            "insert into execution_alarm (execution_id, kind, at) select id, 'END', ends_by from execution where id = "
                    + "?1";

    private static final String SET_CONCURRENCY_KEY =
            "update execution set concurrency_key = ?1, awaits_turn = true where id = ?2";

    private static final String INSERT_TURN =
            "insert into concurrency_turn (execution_id, tenant, name, priority, status) values (?1, ?2, ?3, ?4, "
                    + "'NEW')";

    private static final String SET_RETRY = "update execution set retry = ?1, retry_attempt = 1 where id = ?2";

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
        admission.retry().ifPresent(policy -> steps.add(new AdmissionStatement(SET_RETRY, policy.toStoredText(), id)));
        return steps;
    }

    /** Writes the constraints of an execution that the caller has just inserted in the same transaction. */
    static void write(EntityManager session, NewExecution execution, long firstCheckMillis) {
        for (AdmissionStatement step : statementsFor(execution, firstCheckMillis)) {
            JpaBatchStore.nativeQuery(
                            session, step.statement(), step.parameters().toArray())
                    .executeUpdate();
        }
    }

    /** Like {@link #write}, for many executions in JDBC batches. The caller closes it; the connection stays open. */
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

        /** Runs the collected statements. The caller inserts the executions first. */
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
