package org.sallyport.store;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchAcceptance;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewItem;
import org.sallyport.batch.OnFailure;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.PendingJob;
import org.sallyport.tool.Json;

/** Batches in the database. */
public final class JpaBatchStore implements BatchStore {
    private static final UUID SMALLEST = new UUID(0, 0);

    private final Database database;
    private final long firstCheckMillis;

    /** @param firstCheck how long after its acceptance a job that nobody took counts as overdue */
    public JpaBatchStore(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    @Override
    public Optional<BatchAcceptance> earlier(String tenant, Idempotency idempotency) {
        IdempotencyKeyRow key = new IdempotencyKeyRow(tenant, idempotency, new UUID(0, 0));
        IdempotencyKeyRow first = database.read(tenant, session -> session.find(IdempotencyKeyRow.class, key.key()));
        if (first == null) {
            return Optional.empty();
        }
        return Optional.of(
                first.bodyHash.equals(idempotency.bodyHash())
                        ? new BatchAcceptance.Replayed(new BatchId(first.executionId))
                        : new BatchAcceptance.KeyReused());
    }

    @Override
    public BatchAcceptance accept(NewBatch batch, Iterator<NewItem> items) {
        Idempotency idempotency = batch.idempotency().orElse(null);
        if (idempotency == null) {
            return store(batch, items, null);
        }
        IdempotencyKeyRow key =
                new IdempotencyKeyRow(batch.tenant(), idempotency, batch.id().value());
        try {
            return store(batch, items, key);
        } catch (RuntimeException e) {
            if (!SqlFailures.isDuplicate(e) && !SqlFailures.isLockTimeout(e)) {
                throw e;
            }
            return earlier(batch.tenant(), idempotency).orElseGet(BatchAcceptance.InProgress::new);
        }
    }

    private BatchAcceptance store(NewBatch batch, Iterator<NewItem> items, @Nullable IdempotencyKeyRow key) {
        database.requireRoom();
        return database.write(session -> {
            if (key != null) {
                // Before anything else, so that a second request with the key waits here and has stored nothing.
                session.persist(key);
                session.flush();
            }
            Connection connection = session.unwrap(Connection.class);
            try (BatchInserts inserts = new BatchInserts(connection, batch, firstCheckMillis)) {
                inserts.write(items);
            } catch (SQLException e) {
                throw new IllegalStateException("a batch could not be stored", e);
            }
            return new BatchAcceptance.Stored();
        });
    }

    @Override
    public Optional<Batch> find(String tenant, BatchId id) {
        return database.read(
                tenant,
                session -> rows(session, BatchStatements.FIND, id.value(), LosslessText.encode(tenant)).stream()
                        .findFirst()
                        .map(JpaBatchStore::batch));
    }

    @Override
    public List<Batch> list(String tenant, Optional<BatchId> before, int limit) {
        String owner = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? rows(
                                        session,
                                        BatchStatements.OLDER,
                                        owner,
                                        before.get().value(),
                                        limit)
                                : rows(session, BatchStatements.NEWEST, owner, limit))
                        .stream().map(JpaBatchStore::batch).toList());
    }

    private static Batch batch(@Nullable Object[] row) {
        return new Batch(
                new BatchId(uuid(row[0])),
                LosslessText.decode(text(row[1])),
                number(row[2]),
                number(row[3]),
                Optional.ofNullable((Number) row[4]).map(Number::intValue),
                OnFailure.valueOf(text(row[5])),
                Optional.ofNullable((String) row[6]),
                Optional.ofNullable((String) row[7]).flatMap(BatchId::parse),
                ExecutionQueries.instant(row[8]));
    }

    @Override
    public Map<ExecutionState, Integer> counts(BatchId id) {
        Map<ExecutionState, Integer> counts = new EnumMap<>(ExecutionState.class);
        database.read(session -> rows(session, BatchStatements.COUNTS, id.value()))
                .forEach(row -> counts.put(ExecutionState.valueOf(text(row[0])), number(row[1])));
        return counts;
    }

    @Override
    public List<BatchItem> items(BatchId id, int after, int limit) {
        return items(BatchStatements.ITEMS, id, after, limit);
    }

    @Override
    public List<BatchItem> failed(BatchId id, int after, int limit) {
        return items(BatchStatements.FAILED, id, after, limit);
    }

    private List<BatchItem> items(String statement, BatchId id, int after, int limit) {
        return database.read(session -> rows(session, statement, id.value(), after, limit).stream()
                .map(JpaBatchStore::item)
                .toList());
    }

    private static BatchItem item(@Nullable Object[] row) {
        return new BatchItem(
                number(row[0]),
                Optional.ofNullable((UUID) row[1]).map(ExecutionId::new),
                Optional.ofNullable((String) row[2]).map(ExecutionState::valueOf),
                Optional.ofNullable((String) row[3]).map(Json::new));
    }

    @Override
    public boolean lives(BatchId id) {
        return !database.read(session ->
                        query(session, BatchStatements.IS_LIVE, id.value()).getResultList())
                .isEmpty();
    }

    @Override
    public boolean held(BatchId id, ExecutionId execution) {
        return !database.read(session -> query(session, BatchStatements.IS_HELD, id.value(), execution.value())
                        .getResultList())
                .isEmpty();
    }

    @Override
    public List<BatchId> advancing(Optional<BatchId> after, int limit) {
        UUID start = after.map(BatchId::value).orElse(SMALLEST);
        return database.read(session -> {
            List<?> ids =
                    query(session, BatchStatements.ADVANCING, start, limit).getResultList();
            return ids.stream().map(id -> new BatchId(uuid(id))).toList();
        });
    }

    @Override
    public List<PendingJob> advance(BatchId id) {
        return database.write(session -> new BatchAdvance(session, id, firstCheckMillis).advance());
    }

    @Override
    public List<ExecutionId> cancelIdle(String tenant, BatchId id) {
        return database.write(tenant, session -> {
            String owner = LosslessText.encode(tenant);
            if (query(session, BatchStatements.LOCK_OF_TENANT, id.value(), owner)
                    .getResultList()
                    .isEmpty()) {
                return List.of();
            }
            stop(session, id, "caller");
            List<?> taken = query(session, BatchStatements.TAKEN, id.value()).getResultList();
            return taken.stream().map(each -> new ExecutionId(uuid(each))).toList();
        });
    }

    /** By whoever has its row. */
    static void stop(EntityManager session, BatchId id, String why) {
        query(session, BatchStatements.STOP, id.value(), why).executeUpdate();
        query(session, BatchStatements.LEAVE_HELD, id.value()).executeUpdate();
        query(session, BatchStatements.CANCEL_PENDING, id.value()).executeUpdate();
        query(session, BatchStatements.CLOSE_TRACES, id.value()).executeUpdate();
        query(session, BatchStatements.DONE, id.value()).executeUpdate();
    }

    static Query query(EntityManager session, String statement, Object... parameters) {
        Query query = session.createNativeQuery(statement);
        for (int i = 0; i < parameters.length; i++) {
            query.setParameter(i + 1, parameters[i]);
        }
        return query;
    }

    @SuppressWarnings("unchecked")
    static List<@Nullable Object[]> rows(EntityManager session, String statement, Object... parameters) {
        return query(session, statement, parameters).getResultList();
    }

    static UUID uuid(@Nullable Object value) {
        return (UUID) present(value);
    }

    static String text(@Nullable Object value) {
        return (String) present(value);
    }

    static int number(@Nullable Object value) {
        return ((Number) present(value)).intValue();
    }

    private static Object present(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a column that always has a value has none");
        }
        return value;
    }
}
