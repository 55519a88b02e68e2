package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.DeadLetter;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.ExecutionId;

/** Dead letters in the database. They are written with the end of their executions. */
public final class JpaDeadLetterStore implements DeadLetterStore {
    private static final UUID LARGEST = new UUID(-1, -1);
    private static final String LETTERS = """
            select d, e, o.message from DeadLetterRow d join ExecutionRow e on e.id = d.executionId
                left join OutcomeRow o on o.executionId = d.executionId
            where d.tenant = :tenant and\s""";
    private static final String PAGE = LETTERS + "d.executionId < :end order by d.tenant, d.executionId desc";
    private static final String ONE = LETTERS + "d.executionId = :id";

    private final Database database;

    public JpaDeadLetterStore(Database database) {
        this.database = database;
    }

    /** Within the transaction that ends the execution. */
    static void write(EntityManager session, ExecutionId id) {
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
                        .setParameter("end", before.map(ExecutionId::value).orElse(LARGEST))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(JpaDeadLetterStore::letter)
                        .toList());
    }

    @Override
    public Optional<DeadLetter> find(String tenant, ExecutionId id) {
        return database.read(
                tenant,
                session -> session.createQuery(ONE, Object[].class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("id", id.value())
                        .getResultStream()
                        .findFirst()
                        .map(JpaDeadLetterStore::letter));
    }

    @Override
    public void replayed(ExecutionId id, ExecutionId as) {
        database.write(
                session -> session.createNativeQuery("update dead_letter set replayed_as = ?2 where execution_id = ?1")
                        .setParameter(1, id.value())
                        .setParameter(2, as.toString())
                        .executeUpdate());
    }

    private static DeadLetter letter(@Nullable Object[] columns) {
        DeadLetterRow row = (DeadLetterRow) columns[0];
        return new DeadLetter(
                Executions.summary((ExecutionRow) columns[1]),
                row.at,
                Optional.ofNullable((String) columns[2]).orElse(""),
                Optional.ofNullable(row.replayedAs).flatMap(ExecutionId::parse));
    }
}
