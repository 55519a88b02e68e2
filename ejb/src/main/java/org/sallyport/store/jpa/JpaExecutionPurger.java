package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.sallyport.execution.ExecutionPurger;
import org.sallyport.execution.ExecutionState;
import org.sallyport.failpoint.Failpoint;

/** Deletes executions from the database: first the rows that belong to them, then the executions. Thread-safe. */
public final class JpaExecutionPurger implements ExecutionPurger {
    /**
     * Tables whose rows belong to an execution, in an order in which they can be deleted. A tenant's events are not
     * among them, because other executions may wait for them.
     */
    static final List<String> OWNED_TABLES = List.of(
            "artifact_chunk",
            "artifact",
            "trace_event",
            "output_chunk",
            "execution_outcome",
            "execution_input",
            "idempotency_key",
            "dead_letter",
            "capability_run",
            "result_key",
            "schedule_run",
            "execution_term",
            "callback",
            "nested_execution_active",
            "nested_execution",
            "span_export",
            "approval",
            "call_cost");

    /**
     * Maximum number of trace rows that one transaction deletes, unless a single execution has more. A statement should
     * take well under a second.
     */
    private static final long MAX_TRACE_ROWS = 10_000;

    /**
     * Selects expired executions, but none that a live execution re-runs, and no attempt of a retry policy while a
     * later one is live: a caller who knows only the first attempt follows the attempts, for example to cancel. The
     * subqueries start from the live executions, for which an index exists and which are few compared with the ended
     * ones. Rows that another node is deleting are skipped, not waited for.
     */
    private static final String SELECT_EXPIRED = """
            select id, last_seq from execution
            where state = ?1 and next_check_at <= current_timestamp - cast(?2 as bigint) * interval '0.001' second
                and cast(id as varchar) not in (
                    select rerun_of from execution
                    where state in ('PENDING', 'RUNNING', 'WAITING') and rerun_of is not null)
                and coalesce(retry_first, cast(id as varchar)) not in (
                    select retry_first from execution
                    where state in ('PENDING', 'RUNNING', 'WAITING') and retry_first is not null)
            order by state, next_check_at limit ?3""";

    private static final String IN_BATCHES =
            "select batch_id, id, state from execution where batch_id is not null and id in (";

    /** Selects a batch that is over and of which no execution is left. */
    private static final String EMPTY_BATCH = """
            select b.id from batch b
            where b.active = false
                and b.created_at <= current_timestamp - cast(?1 as bigint) * interval '0.001' second
                and not exists (select 1 from batch_item i join execution e on e.id = i.execution_id where i.batch_id \
            = b.id)
            order by b.active, b.id limit 1""";

    private final Database database;

    public JpaExecutionPurger(Database database) {
        this.database = database;
    }

    @Override
    public boolean purge(Duration age, int limit) {
        for (ExecutionState state : ExecutionState.values()) {
            if (state.isTerminal() && database.writeSerially(session -> purge(session, state, age, limit))) {
                return true;
            }
        }
        return database.writeSerially(session -> purgeEmptyBatch(session, age));
    }

    /** Deletes at most one batch per transaction, because a batch may have thousands of items. */
    private boolean purgeEmptyBatch(EntityManager session, Duration age) {
        List<?> due = session.createNativeQuery(database.withSkipLocked(EMPTY_BATCH))
                .setParameter(1, age.toMillis())
                .getResultList();
        if (due.isEmpty()) {
            return false;
        }
        List<UUID> batch = List.of((UUID) due.get(0));
        delete(session, "delete from idempotency_key where execution_id in (", batch);
        delete(session, "delete from schedule_batch where batch_id in (", batch);
        delete(session, "delete from batch_row where batch_id in (", batch);
        delete(session, "delete from batch_item where batch_id in (", batch);
        delete(session, "delete from batch where id in (", batch);
        return true;
    }

    @SuppressWarnings("unchecked")
    private boolean purge(EntityManager session, ExecutionState state, Duration age, int limit) {
        List<Object[]> due = session.createNativeQuery(database.withSkipLocked(SELECT_EXPIRED))
                .setParameter(1, state.name())
                .setParameter(2, age.toMillis())
                .setParameter(3, limit)
                .getResultList();
        List<UUID> light = limitByRows(database.lockAvailable(session, due));
        if (!light.isEmpty()) {
            deleteExecutions(session, light);
        }
        return due.size() == limit || light.size() < due.size();
    }

    /**
     * Deletes ended executions and the rows that belong to them. The items of their batches keep their states. The
     * caller's transaction has locked the executions.
     */
    static void deleteExecutions(EntityManager session, List<UUID> ids) {
        keepStatesOfBatchItems(session, ids);
        for (String table : OWNED_TABLES) {
            delete(session, "delete from " + table + " where execution_id in (", ids);
        }
        Failpoint.PURGING.reached(ids);
        delete(session, "delete from execution where id in (", ids);
    }

    private static void keepStatesOfBatchItems(EntityManager session, List<UUID> ids) {
        String marks = String.join(", ", Collections.nCopies(ids.size(), "?"));
        JpaBatchStore.selectRows(session, IN_BATCHES + marks + ")", ids.toArray())
                .forEach(row -> JpaBatchStore.nativeQuery(
                                session,
                                BatchStatements.KEEP_FINAL_STATE,
                                UUID.fromString(JpaBatchStore.text(row[0])),
                                JpaBatchStore.uuid(row[1]),
                                JpaBatchStore.text(row[2]))
                        .executeUpdate());
    }

    /** Returns the oldest executions that together have at most {@value #MAX_TRACE_ROWS} trace rows; at least one. */
    private static List<UUID> limitByRows(List<Object[]> due) {
        List<UUID> ids = new ArrayList<>();
        long rows = 0;
        for (Object[] row : due) {
            rows += ((Number) row[1]).longValue();
            if (rows > MAX_TRACE_ROWS && !ids.isEmpty()) {
                break;
            }
            ids.add((UUID) row[0]);
        }
        return ids;
    }

    private static void delete(EntityManager session, String statement, List<UUID> ids) {
        String marks = String.join(", ", Collections.nCopies(ids.size(), "?"));
        var query = session.createNativeQuery(statement + marks + ")");
        for (int i = 0; i < ids.size(); i++) {
            query.setParameter(i + 1, ids.get(i));
        }
        query.executeUpdate();
    }
}
