package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/** Stores the batches of schedules in the database. Thread-safe. */
public final class JpaScheduleBatchStore implements ScheduleBatchStore {
    private final Database database;
    private final long firstCheckMillis;

    /** @param firstCheck how long after its acceptance an unclaimed job counts as overdue */
    public JpaScheduleBatchStore(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    @Override
    public void queue(Schedule seen) {
        database.write(session -> JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.QUEUE_BATCH,
                        seen.id().value(),
                        seen.version(),
                        JpaScheduleStore.toOffsetDateTime(seen.dueAt()))
                .executeUpdate());
    }

    @Override
    public List<DueSchedule> findQueued(String afterTenant, int limit) {
        return database.read(session ->
                JpaBatchStore.selectRows(session, ScheduleStatements.QUEUED, LosslessText.encode(afterTenant), limit)
                        .stream()
                        .map(ScheduleEntityMapper::toDueSchedule)
                        .toList());
    }

    @Override
    public FireResult claim(Schedule seen, FireDecision.FireNow turn, Duration hold, Duration claim) {
        return database.write(session -> {
            if (!ScheduleFiring.lockIfStillDue(session, ScheduleStatements.LOCK_UNCLAIMED, seen)) {
                return new FireResult.FireSuperseded();
            }
            return ScheduleOverlap.skipOrDefer(session, seen, turn, hold).orElseGet(() -> {
                JpaBatchStore.nativeQuery(
                                session, ScheduleStatements.CLAIM, seen.id().value(), claim.toMillis())
                        .executeUpdate();
                return new FireResult.BatchClaimed();
            });
        });
    }

    @Override
    public void renewClaim(Schedule seen, Duration claim) {
        database.write(session -> JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.RENEW_CLAIM,
                        seen.id().value(),
                        seen.version(),
                        JpaScheduleStore.toOffsetDateTime(seen.dueAt()),
                        claim.toMillis())
                .executeUpdate());
    }

    @Override
    public FireResult fireBatch(
            Schedule seen, FireDecision.FireNow turn, NewBatch batch, Iterator<NewBatchItem> items) {
        database.requireDiskSpace();
        try {
            return database.write(seen.tenant(), session -> {
                writeBatch(session, seen.id(), batch, items);
                // Last, because a large batch takes a while and the lock keeps users from changing the schedule. Waits
                // for the lock: the work is done, and other transactions hold it only for a moment.
                if (!ScheduleFiring.lockIfStillDue(session, ScheduleStatements.LOCK_WAITING, seen)
                        || ScheduleOverlap.prevents(session, seen)) {
                    throw new ScheduleChangedException();
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
        } catch (ScheduleChangedException e) {
            return new FireResult.FireSuperseded();
        }
    }

    @Override
    public boolean runBatchNow(Schedule seen, NewBatch batch, Iterator<NewBatchItem> items) {
        database.requireDiskSpace();
        UUID id = seen.id().value();
        try {
            return database.write(seen.tenant(), session -> {
                writeBatch(session, seen.id(), batch, items);
                if (JpaBatchStore.nativeQuery(session, ScheduleStatements.LOCK_VERSION, id, seen.version())
                        .getResultList()
                        .isEmpty()) {
                    throw new ScheduleChangedException();
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
        } catch (ScheduleChangedException e) {
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

    @Override
    public List<ScheduleBatch> listBatches(String tenant, ScheduleId id, Optional<BatchId> before, int limit) {
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? JpaBatchStore.selectRows(
                                        session,
                                        ScheduleStatements.BATCHES_OLDER,
                                        id.value(),
                                        before.get().value(),
                                        limit)
                                : JpaBatchStore.selectRows(
                                        session, ScheduleStatements.BATCHES_NEWEST, id.value(), limit))
                        .stream()
                                .map(row -> new ScheduleBatch(
                                        new BatchId(JpaBatchStore.uuid(row[0])),
                                        Optional.ofNullable(row[1]).map(JpaScheduleStore::toInstant),
                                        new Schedule.BatchSize(
                                                JpaBatchStore.number(row[2]), JpaBatchStore.number(row[3]))))
                                .toList());
    }
}
