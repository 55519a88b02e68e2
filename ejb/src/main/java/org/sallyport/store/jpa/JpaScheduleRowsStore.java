package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleRowsStore;

/** Stores the rows and the batches of schedules in the database. Thread-safe. */
public final class JpaScheduleRowsStore implements ScheduleRowsStore {
    private static final int CHUNK_BYTES = 512 << 10;

    private final Database database;
    private final long firstCheckMillis;

    /** @param firstCheck how long after its acceptance an unclaimed job counts as overdue */
    public JpaScheduleRowsStore(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    @Override
    public boolean putRows(String tenant, ScheduleId id, ScheduleRows rows, InputStream content) {
        database.requireDiskSpace();
        String owner = LosslessText.encode(tenant);
        return database.write(tenant, session -> {
            if (!hasRow(session, ScheduleStatements.LOCK_ROWS_OF_TENANT, id.value(), owner)) {
                return false;
            }
            JpaScheduleStore.deleteRows(session, id, owner);
            JpaBatchStore.nativeQuery(
                            session,
                            ScheduleStatements.INSERT_ROWS,
                            id.value(),
                            rows.fileId(),
                            rows.contentType(),
                            rows.bytes(),
                            rows.sha256(),
                            rows.count(),
                            rows.refused(),
                            LosslessText.encode(rows.uploadedBy()))
                    .executeUpdate();
            insertChunks(session, id, rows, content);
            JpaBatchStore.nativeQuery(
                            session,
                            ScheduleStatements.UPDATE_OWNER,
                            id.value(),
                            LosslessText.encode(rows.uploadedBy()))
                    .executeUpdate();
            return true;
        });
    }

    private static void insertChunks(EntityManager session, ScheduleId id, ScheduleRows rows, InputStream content) {
        try {
            int index = 0;
            for (byte[] chunk = content.readNBytes(CHUNK_BYTES);
                    chunk.length > 0;
                    chunk = content.readNBytes(CHUNK_BYTES)) {
                JpaBatchStore.nativeQuery(
                                session, ScheduleStatements.INSERT_CHUNK, id.value(), rows.fileId(), index++, chunk)
                        .executeUpdate();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean copyRows(ScheduleId id, ScheduleRows rows, OutputStream out) {
        long written = 0;
        for (int index = 0; written < rows.bytes(); index++) {
            Optional<byte[]> chunk = findChunk(id, rows.fileId(), index);
            if (chunk.isEmpty()) {
                return false;
            }
            try {
                out.write(chunk.get());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            written += chunk.get().length;
        }
        return true;
    }

    private Optional<byte[]> findChunk(ScheduleId id, UUID file, int index) {
        List<?> found = database.read(
                session -> JpaBatchStore.nativeQuery(session, ScheduleStatements.FIND_CHUNK, id.value(), file, index)
                        .getResultList());
        return found.stream().findFirst().map(byte[].class::cast);
    }

    @Override
    public FireResult claim(Schedule seen, FireDecision.FireNow turn, Duration hold, Duration claim) {
        return database.write(session -> {
            if (!ScheduleFiring.lockIfStillDue(session, seen)) {
                return new FireResult.FireSuperseded();
            }
            UUID id = seen.id().value();
            List<BatchId> open = findActiveBatches(session, id);
            if (!open.isEmpty() && seen.concurrencyPolicy() == ConcurrencyPolicy.SKIP) {
                ScheduleFiring.recordSkip(session, id, turn.at(), Schedule.SkipReason.OVERLAP, turn.nextDueAt());
                return new FireResult.FireSkipped();
            } else if (!open.isEmpty() && seen.concurrencyPolicy() != ConcurrencyPolicy.ALLOW) {
                JpaBatchStore.nativeQuery(session, ScheduleStatements.WAIT_FOR_PREVIOUS, id, hold.toMillis())
                        .executeUpdate();
                return new FireResult.BatchDeferred(open);
            }
            JpaBatchStore.nativeQuery(session, ScheduleStatements.CLAIM, id, claim.toMillis())
                    .executeUpdate();
            return new FireResult.BatchClaimed();
        });
    }

    /** Returns the batches of the schedule that have not ended. Closes the others, so that they are not read again. */
    private static List<BatchId> findActiveBatches(EntityManager session, UUID schedule) {
        List<BatchId> open = new ArrayList<>();
        List<?> active = JpaBatchStore.nativeQuery(session, ScheduleStatements.ACTIVE_BATCHES, schedule)
                .getResultList();
        for (Object each : active) {
            UUID batch = JpaBatchStore.uuid(each);
            if (hasRow(session, BatchStatements.FIND_UNFINISHED, batch)) {
                open.add(new BatchId(batch));
            } else {
                JpaBatchStore.nativeQuery(session, ScheduleStatements.FINISH_BATCH, batch)
                        .executeUpdate();
            }
        }
        return open;
    }

    @Override
    public FireResult fireBatch(
            Schedule seen, FireDecision.FireNow turn, NewBatch batch, Iterator<NewBatchItem> items) {
        database.requireDiskSpace();
        try {
            return database.write(session -> {
                writeBatch(session, seen.id(), batch, items);
                // Last, because a large batch takes a while and the lock keeps users from changing the schedule.
                if (!ScheduleFiring.lockIfStillDue(session, seen)
                        || seen.concurrencyPolicy() != ConcurrencyPolicy.ALLOW
                                && !findActiveBatches(session, seen.id().value())
                                        .isEmpty()) {
                    throw new SupersededBatchException();
                }
                UUID id = seen.id().value();
                JpaBatchStore.nativeQuery(
                                session,
                                ScheduleStatements.INSERT_BATCH,
                                batch.id().value(),
                                id,
                                JpaScheduleStore.toOffsetDateTime(turn.at()))
                        .executeUpdate();
                Failpoint.FIRING.reached(batch.id());
                JpaBatchStore.nativeQuery(
                                session,
                                ScheduleStatements.UPDATE_BATCH_FIRED,
                                id,
                                batch.id().value(),
                                JpaScheduleStore.toOffsetDateTime(turn.at()),
                                JpaScheduleStore.toOffsetDateTime(turn.nextDueAt()))
                        .executeUpdate();
                return new FireResult.BatchFired();
            });
        } catch (SupersededBatchException e) {
            return new FireResult.FireSuperseded();
        }
    }

    @Override
    public boolean runBatchNow(Schedule seen, NewBatch batch, Iterator<NewBatchItem> items) {
        database.requireDiskSpace();
        UUID id = seen.id().value();
        try {
            return database.write(session -> {
                writeBatch(session, seen.id(), batch, items);
                if (!hasRow(session, ScheduleStatements.LOCK_VERSION, id, seen.version())) {
                    throw new SupersededBatchException();
                }
                JpaBatchStore.nativeQuery(
                                session,
                                ScheduleStatements.INSERT_MANUAL_BATCH,
                                batch.id().value(),
                                id)
                        .executeUpdate();
                JpaBatchStore.nativeQuery(
                                session,
                                ScheduleStatements.UPDATE_MANUAL_BATCH,
                                id,
                                batch.id().value())
                        .executeUpdate();
                return true;
            });
        } catch (SupersededBatchException e) {
            return false;
        }
    }

    private void writeBatch(EntityManager session, ScheduleId schedule, NewBatch batch, Iterator<NewBatchItem> items) {
        Connection connection = session.unwrap(Connection.class);
        try (BatchSubmissionWriter writer =
                new BatchSubmissionWriter(connection, batch, firstCheckMillis, Optional.of(schedule))) {
            writer.write(items);
        } catch (SQLException e) {
            throw new IllegalStateException("a batch could not be stored", e);
        }
        Failpoint.BATCH_STORED.reached(batch.id());
    }

    private static boolean hasRow(EntityManager session, String statement, Object... parameters) {
        return !JpaBatchStore.nativeQuery(session, statement, parameters)
                .getResultList()
                .isEmpty();
    }

    @Override
    public List<ScheduleBatch> listBatches(ScheduleId id, Optional<BatchId> before, int limit) {
        return database.read(session -> (before.isPresent()
                        ? JpaBatchStore.selectRows(
                                session,
                                ScheduleStatements.BATCHES_OLDER,
                                id.value(),
                                before.get().value(),
                                limit)
                        : JpaBatchStore.selectRows(session, ScheduleStatements.BATCHES_NEWEST, id.value(), limit))
                .stream()
                        .map(row -> new ScheduleBatch(
                                new BatchId(JpaBatchStore.uuid(row[0])),
                                Optional.ofNullable(row[1]).map(JpaScheduleStore::toInstant)))
                        .toList());
    }

    /** Rolls the batch back. */
    private static final class SupersededBatchException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SupersededBatchException() {
            super("the schedule was changed, or its time was handled", null, false, false);
        }
    }
}
