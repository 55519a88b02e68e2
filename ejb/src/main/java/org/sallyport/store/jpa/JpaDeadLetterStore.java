package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.DeadLetter;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.ExecutionId;

/**
 * Stores dead letters in the database. A dead letter is inserted in the transaction that ends its execution.
 * Thread-safe.
 */
public final class JpaDeadLetterStore implements DeadLetterStore {
    private static final UUID MAX_ID = new UUID(-1, -1);
    private static final String SELECT_LETTERS = """
            select d, e, o.message from DeadLetterEntity d join ExecutionEntity e on e.id = d.executionId
                left join ExecutionOutcomeEntity o on o.executionId = d.executionId
            where d.tenant = :tenant and\s""";
    private static final String PAGE = SELECT_LETTERS + "d.executionId < :end order by d.tenant, d.executionId desc";
    private static final String FIND = SELECT_LETTERS + "d.executionId = :id";

    private final Database database;

    public JpaDeadLetterStore(Database database) {
        this.database = database;
    }

    /** Inserts a dead letter, within the transaction that ends the execution. */
    static void insert(EntityManager session, ExecutionId id) {
        session.createNativeQuery(
                        "insert into dead_letter (execution_id, tenant) select id, tenant from execution where id = ?1")
                .setParameter(1, id.value())
                .executeUpdate();
    }

    @Override
    public List<DeadLetter> list(String tenant, Optional<ExecutionId> before, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(PAGE, Object[].class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("end", before.map(ExecutionId::value).orElse(MAX_ID))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(JpaDeadLetterStore::toDeadLetter)
                        .toList());
    }

    @Override
    public Optional<DeadLetter> find(String tenant, ExecutionId id) {
        return database.read(
                tenant,
                session -> session.createQuery(FIND, Object[].class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("id", id.value())
                        .getResultStream()
                        .findFirst()
                        .map(JpaDeadLetterStore::toDeadLetter));
    }

    @Override
    public void markRedelivered(ExecutionId id, ExecutionId as) {
        database.write(
                session -> session.createNativeQuery("update dead_letter set replayed_as = ?2 where execution_id = ?1")
                        .setParameter(1, id.value())
                        .setParameter(2, as.toString())
                        .executeUpdate());
    }

    private static DeadLetter toDeadLetter(@Nullable Object[] columns) {
        DeadLetterEntity row = (DeadLetterEntity) columns[0];
        return new DeadLetter(
                ExecutionEntityMapper.toSummary((ExecutionEntity) columns[1]),
                row.at,
                Optional.ofNullable((String) columns[2]).orElse(""),
                Optional.ofNullable(row.replayedAs).flatMap(ExecutionId::parse));
    }
}
