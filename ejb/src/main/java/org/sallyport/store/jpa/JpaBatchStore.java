package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.batch.SizedBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.Json;

/** Stores batches in the database. Thread-safe. */
public final class JpaBatchStore implements BatchStore {
    private static final UUID MIN_ID = new UUID(0, 0);

    private final Database database;
    private final long firstCheckMillis;

    /** @param firstCheck how long after its acceptance an unclaimed job counts as overdue */
    public JpaBatchStore(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    @Override
    public Optional<BatchInsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency) {
        IdempotencyKeyEntity key = new IdempotencyKeyEntity(tenant, idempotency, new UUID(0, 0));
        IdempotencyKeyEntity first =
                database.read(tenant, session -> session.find(IdempotencyKeyEntity.class, key.primaryKey()));
        if (first == null) {
            return Optional.empty();
        }
        return Optional.of(
                first.bodyHash.equals(idempotency.bodyHash())
                        ? new BatchInsertResult.BatchAlreadyInserted(new BatchId(first.executionId))
                        : new BatchInsertResult.BatchKeyReused());
    }

    @Override
    public BatchInsertResult insert(NewBatch batch, Iterator<NewBatchItem> items) {
        IdempotencyKey idempotency = batch.idempotency().orElse(null);
        if (idempotency == null) {
            return storeWithoutKey(batch, items);
        }
        IdempotencyKeyEntity key =
                new IdempotencyKeyEntity(batch.tenant(), idempotency, batch.id().value());
        try {
            return store(batch, items, key);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e) && !SqlErrorClassifier.isLockTimeout(e)) {
                throw e;
            }
            BatchInsertResult first = findByIdempotencyKey(batch.tenant(), idempotency)
                    .orElseGet(BatchInsertResult.BatchInsertInProgress::new);
            // If it has this id, the caller repeats a write without an answer.
            return first.equals(new BatchInsertResult.BatchAlreadyInserted(batch.id()))
                    ? new BatchInsertResult.BatchInserted()
                    : first;
        }
    }

    /** If a batch with this unique id is stored already, its caller repeats a write without an answer. */
    private BatchInsertResult storeWithoutKey(NewBatch batch, Iterator<NewBatchItem> items) {
        try {
            return store(batch, items, null);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e)
                    || find(batch.tenant(), batch.id()).isEmpty()) {
                throw e;
            }
            return new BatchInsertResult.BatchInserted();
        }
    }

    private BatchInsertResult store(NewBatch batch, Iterator<NewBatchItem> items, @Nullable IdempotencyKeyEntity key) {
        database.requireDiskSpace();
        return database.write(session -> {
            if (key != null) {
                // First, so that a second request with the same key waits here and has stored nothing yet.
                session.persist(key);
                session.flush();
            }
            Connection connection = session.unwrap(Connection.class);
            try (BatchSubmissionWriter inserts =
                    new BatchSubmissionWriter(connection, batch, firstCheckMillis, Optional.empty())) {
                inserts.write(items);
                Failpoint.BATCH_STORED.reached(batch.id());
            } catch (SQLException e) {
                throw new IllegalStateException("a batch could not be stored", e);
            }
            return new BatchInsertResult.BatchInserted();
        });
    }

    @Override
    public Optional<Batch> find(String tenant, BatchId id) {
        return database.read(
                tenant,
                session -> selectRows(session, BatchStatements.FIND, id.value(), LosslessText.encode(tenant)).stream()
                        .findFirst()
                        .map(JpaBatchStore::toBatch));
    }

    @Override
    public List<Batch> list(String tenant, Optional<BatchId> before, int limit) {
        String owner = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? selectRows(
                                        session,
                                        BatchStatements.OLDER,
                                        owner,
                                        before.get().value(),
                                        limit)
                                : selectRows(session, BatchStatements.NEWEST, owner, limit))
                        .stream().map(JpaBatchStore::toBatch).toList());
    }

    private static Batch toBatch(@Nullable Object[] row) {
        return new Batch(
                new BatchId(uuid(row[0])),
                LosslessText.decode(text(row[1])),
                LosslessText.decode(text(row[12])),
                number(row[2]),
                number(row[3]),
                number(row[11]),
                Optional.ofNullable((Number) row[4]).map(Number::intValue),
                BatchFailurePolicy.valueOf(text(row[5])),
                Optional.ofNullable((String) row[6]),
                Optional.ofNullable((String) row[13])
                        .map(caller -> CancelRequest.by(
                                LosslessText.decode(caller),
                                Optional.ofNullable((String) row[14]).map(LosslessText::decode))),
                Optional.ofNullable((String) row[7]).flatMap(BatchId::parse),
                Optional.ofNullable((String) row[9]).map(LosslessText::decode).flatMap(CapabilityRef::parse),
                row[10] == null ? List.of() : JsonColumnCodec.parseList(new Json(text(row[10]))),
                ExecutionQueries.toInstant(row[8]));
    }

    @Override
    public Map<ExecutionState, Integer> countByState(BatchId id) {
        Map<ExecutionState, Integer> counts = new EnumMap<>(ExecutionState.class);
        database.read(session -> selectRows(session, BatchStatements.COUNTS, id.value()))
                .forEach(row -> counts.put(ExecutionState.valueOf(text(row[0])), number(row[1])));
        return counts;
    }

    @Override
    public List<BatchItem> listItems(BatchId id, int after, int limit) {
        return items(BatchStatements.ITEMS, id, after, limit);
    }

    @Override
    public List<BatchItem> listFailedItems(BatchId id, int after, int limit) {
        return items(BatchStatements.FAILED, id, after, limit);
    }

    @Override
    public int countFailedExecutions(BatchId id) {
        return database.read(session -> number(nativeQuery(session, BatchStatements.COUNT_FAILED_EXECUTIONS, id.value())
                .getSingleResult()));
    }

    @Override
    public List<BatchItem> listUnsuccessfulItems(BatchId id, int after, int limit) {
        return items(BatchStatements.UNSUCCESSFUL, id, after, limit);
    }

    private List<BatchItem> items(String statement, BatchId id, int after, int limit) {
        return database.read(session -> selectRows(session, statement, id.value(), after, limit).stream()
                .map(JpaBatchStore::toItem)
                .toList());
    }

    private static BatchItem toItem(@Nullable Object[] row) {
        return new BatchItem(
                number(row[0]),
                Optional.ofNullable((UUID) row[1]).map(ExecutionId::new),
                Optional.ofNullable((String) row[2]).map(ExecutionState::valueOf),
                Optional.ofNullable((String) row[3]).map(Json::new));
    }

    @Override
    public Optional<Json> findRow(BatchId id, int index) {
        List<?> rows = database.read(session -> nativeQuery(session, BatchStatements.FIND_ROW, id.value(), index)
                .getResultList());
        return rows.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable((String) rows.get(0)).map(Json::new);
    }

    @Override
    public List<SizedBatchItem> listSizedItems(BatchId id, int after, int limit, boolean unsuccessful) {
        String statement = unsuccessful ? BatchStatements.SIZED_UNSUCCESSFUL : BatchStatements.SIZED_ITEMS;
        return database.read(session -> selectRows(session, statement, id.value(), after, limit).stream()
                .map(row -> new SizedBatchItem(toItem(row), ((Number) requirePresent(row[4])).longValue()))
                .toList());
    }

    @Override
    public Map<Integer, Json> findRows(BatchId id, List<Integer> indexes) {
        String marks = String.join(
                ", ",
                IntStream.rangeClosed(1, indexes.size())
                        .mapToObj(number -> "?" + number)
                        .toList());
        List<Object> parameters = new ArrayList<>(indexes);
        parameters.add(id.value());
        Map<Integer, Json> rows = new HashMap<>();
        database.read(session -> selectRows(
                        session,
                        BatchStatements.FIND_ROWS + marks + BatchStatements.OF_BATCH + "?" + parameters.size(),
                        parameters.toArray()))
                .forEach(row -> rows.put(number(row[0]), new Json(text(row[1]))));
        return rows;
    }

    @Override
    public boolean hasUnfinished(BatchId id) {
        return !database.read(session -> nativeQuery(session, BatchStatements.FIND_UNFINISHED, id.value())
                        .getResultList())
                .isEmpty();
    }

    @Override
    public boolean isQueued(BatchId id, ExecutionId execution) {
        return !database.read(
                        session -> nativeQuery(session, BatchStatements.FIND_QUEUED_ITEM, id.value(), execution.value())
                                .getResultList())
                .isEmpty();
    }

    @Override
    public List<BatchId> listWithQueued(Optional<BatchId> after, int limit) {
        UUID start = after.map(BatchId::value).orElse(MIN_ID);
        return database.read(session -> {
            List<?> ids = nativeQuery(session, BatchStatements.ACTIVE_BATCHES, start, limit)
                    .getResultList();
            return ids.stream().map(id -> new BatchId(uuid(id))).toList();
        });
    }

    @Override
    public List<ExecutionJob> admitNext(BatchId id) {
        return database.write(session -> {
            List<ExecutionJob> jobs = new BatchAdmission(session, id, firstCheckMillis).advance();
            Failpoint.BATCH_ADVANCING.reached(id);
            return jobs;
        });
    }

    @Override
    public Optional<ExecutionId> findNextAttempt(ExecutionId failed) {
        List<?> next = database.read(session -> nativeQuery(session, BatchStatements.FIND_NEXT_ATTEMPT, failed.value())
                .getResultList());
        return next.stream().findFirst().flatMap(id -> ExecutionId.parse((String) id));
    }

    @Override
    public List<ExecutionId> cancelNotRunning(String tenant, BatchId id, CancelRequest request) {
        return database.write(tenant, session -> {
            String owner = LosslessText.encode(tenant);
            if (nativeQuery(session, BatchStatements.LOCK_OF_TENANT, id.value(), owner)
                    .getResultList()
                    .isEmpty()) {
                return List.of();
            }
            stopBatch(session, id, "caller", request);
            return findUnfinished(session, id);
        });
    }

    @Override
    public List<ExecutionId> stopForNextRun(String tenant, BatchId id, CancelRequest request) {
        return database.write(tenant, session -> {
            if (!nativeQuery(session, BatchStatements.LOCK_NOT_STOPPED, id.value(), LosslessText.encode(tenant))
                    .getResultList()
                    .isEmpty()) {
                stopBatch(session, id, "schedule", request);
            }
            return findUnfinished(session, id);
        });
    }

    private static List<ExecutionId> findUnfinished(EntityManager session, BatchId id) {
        List<?> unfinished = nativeQuery(session, BatchStatements.UNFINISHED_EXECUTIONS, id.value())
                .getResultList();
        return unfinished.stream().map(each -> new ExecutionId(uuid(each))).toList();
    }

    /** Stops a batch. The caller's transaction has locked the row of the batch. */
    static void stopBatch(EntityManager session, BatchId id, String why, CancelRequest request) {
        String caller = LosslessText.encode(request.requestedBy().orElse(""));
        String reason = LosslessText.encode(request.reason().orElse(""));
        nativeQuery(session, BatchStatements.STOP, id.value(), why, caller, reason)
                .executeUpdate();
        nativeQuery(session, BatchStatements.SKIP_QUEUED_ITEMS, id.value()).executeUpdate();
        nativeQuery(session, BatchStatements.CANCEL_PENDING, id.value(), caller, reason)
                .executeUpdate();
        nativeQuery(session, BatchStatements.CLOSE_TRACES, id.value()).executeUpdate();
        finishBatch(session, id);
    }

    /** Marks a batch as one that starts no more items. The caller's transaction has locked the row of the batch. */
    static void finishBatch(EntityManager session, BatchId id) {
        nativeQuery(session, BatchStatements.FINISH_BATCH, id.value()).executeUpdate();
        Failpoint.BATCH_ENDING.reached(id);
    }

    static Query nativeQuery(EntityManager session, String statement, Object... parameters) {
        Query query = session.createNativeQuery(statement);
        for (int i = 0; i < parameters.length; i++) {
            query.setParameter(i + 1, parameters[i]);
        }
        return query;
    }

    @SuppressWarnings("unchecked")
    static List<@Nullable Object[]> selectRows(EntityManager session, String statement, Object... parameters) {
        return nativeQuery(session, statement, parameters).getResultList();
    }

    static UUID uuid(@Nullable Object value) {
        return (UUID) requirePresent(value);
    }

    static String text(@Nullable Object value) {
        return (String) requirePresent(value);
    }

    static int number(@Nullable Object value) {
        return ((Number) requirePresent(value)).intValue();
    }

    private static Object requirePresent(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a column that must have a value is null");
        }
        return value;
    }
}
