package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ResultCache;

/** Serves cached results from the rows of the executions that produced them. Thread-safe. */
public final class JpaResultCache implements ResultCache {
    /** Considers only the latest 50 executions with the key, however often the key was submitted. */
    private static final String COMPLETED = """
            select k.execution_id from (select execution_id from result_key
                where tenant = ?1 and result_key = ?2 order by tenant, result_key, execution_id desc limit 50) k
            join execution e on e.id = k.execution_id
            where e.state = 'COMPLETED' and e.finished_at > current_timestamp - cast(?3 as bigint) * interval '0.001' \
            second
            order by k.execution_id desc limit ?4
            """;

    private static final String COPY_OUTPUT = """
            insert into output_chunk (execution_id, kind, start_offset, end_offset, text, marks)
            select cast(?1 as uuid), kind, start_offset, end_offset, text, marks from output_chunk
            where execution_id = ?2
            """;

    private static final String COMPLETE = """
            update execution set state = 'COMPLETED', started_at = current_timestamp, finished_at = current_timestamp,
                next_check_at = current_timestamp, last_seq = 2,
                out_length = (select f.out_length from execution f where f.id = ?2),
                err_length = (select f.err_length from execution f where f.id = ?2),
                truncated = (select f.truncated from execution f where f.id = ?2)
            where id = ?1 and exists (select 1 from execution f where f.id = ?2 and f.state = 'COMPLETED')
            """;

    private static final String INSERT_TRACE_EVENT = """
            insert into trace_event (execution_id, seq, type, at, notes)
            values (?1, 1, 'ANSWERED', current_timestamp, ?2)
            """;

    private static final String COPY_RESULT = """
            insert into execution_outcome (execution_id, result)
            select cast(?1 as uuid), result from execution_outcome where execution_id = ?2
            """;

    private final Database database;
    private final SubmissionWriter submissionWriter;

    public JpaResultCache(Database database, JpaExecutionStore executions) {
        this.database = database;
        this.submissionWriter = executions.submissionWriter();
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<ExecutionId> findCompleted(String tenant, String key, Duration maxAge, int limit) {
        List<UUID> ids = database.read(session -> (List<UUID>) session.createNativeQuery(COMPLETED)
                .setParameter(1, LosslessText.encode(tenant))
                .setParameter(2, key)
                .setParameter(3, maxAge.toMillis())
                .setParameter(4, limit)
                .getResultList());
        return ids.stream().map(ExecutionId::new).toList();
    }

    @Override
    public Optional<InsertResult> insertCachedResult(NewExecution execution, ExecutionId first) {
        try {
            return Optional.of(submissionWriter.insert(execution, session -> {
                submissionWriter.write(session, execution);
                session.flush();
                completeFrom(session, execution.id(), first);
            }));
        } catch (CachedResultGoneException e) {
            return Optional.empty();
        }
    }

    /** Completes the new execution in the transaction that inserts it, so that no reader sees it in another state. */
    private static void completeFrom(EntityManager session, ExecutionId id, ExecutionId first) {
        copy(session, COPY_OUTPUT, id, first);
        if (copy(session, COMPLETE, id, first) == 0) {
            throw new CachedResultGoneException();
        }
        session.createNativeQuery(INSERT_TRACE_EVENT)
                .setParameter(1, id.value())
                .setParameter(2, first.toString())
                .executeUpdate();
        session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                .setParameter(1, id.value())
                .executeUpdate();
        // Last: an execution is deleted as a whole, so if this row exists, everything that was copied before was
        // complete.
        if (copy(session, COPY_RESULT, id, first) == 0) {
            throw new CachedResultGoneException();
        }
    }

    private static int copy(EntityManager session, String statement, ExecutionId id, ExecutionId first) {
        return session.createNativeQuery(statement)
                .setParameter(1, id.value())
                .setParameter(2, first.value())
                .executeUpdate();
    }

    /** Signals that the cached execution no longer exists; rolls the transaction back. */
    private static final class CachedResultGoneException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
