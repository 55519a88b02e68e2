package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.SaveResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.JsonSanitizer;

/** Stores schedules in the database. Thread-safe. */
public final class JpaScheduleStore implements ScheduleStore {
    private final Database database;
    private final SubmissionWriter submissionWriter;

    /** @param firstCheck how long after its acceptance an unclaimed job counts as overdue */
    public JpaScheduleStore(Database database, Duration firstCheck) {
        this.database = database;
        this.submissionWriter = new SubmissionWriter(database, firstCheck);
    }

    @Override
    public SaveResult create(NewSchedule schedule, int maxSchedules) {
        database.requireDiskSpace();
        return writeWithUniqueName(session -> {
            @Nullable Object[] now = JpaBatchStore.selectRows(
                            session, ScheduleStatements.NOW_AND_COUNT, LosslessText.encode(schedule.tenant()))
                    .get(0);
            if (JpaBatchStore.number(now[1]) >= maxSchedules) {
                return SaveResult.TOO_MANY;
            }
            Instant createdAt = toInstant(now[0]);
            Trigger timing = schedule.trigger().startingAt(createdAt);
            save(session, ScheduleStatements.CREATE, schedule, timing, timing.nextAfter(createdAt), createdAt);
            return SaveResult.STORED;
        });
    }

    @Override
    public SaveResult replace(NewSchedule schedule) {
        return writeWithUniqueName(session -> {
            String tenant = LosslessText.encode(schedule.tenant());
            if (JpaBatchStore.selectRows(
                            session,
                            ScheduleStatements.LOCK_OF_TENANT,
                            schedule.id().value(),
                            tenant)
                    .isEmpty()) {
                return SaveResult.MISSING;
            }
            Schedule stored = find(session, schedule.tenant(), schedule.id()).orElseThrow();
            if (isUnchanged(stored, schedule)) {
                return SaveResult.STORED;
            }
            saveReplacement(session, stored, schedule, now(session, schedule.tenant()));
            if (!schedule.runsBatch()) {
                deleteRows(session, schedule.id(), tenant);
            }
            return SaveResult.STORED;
        });
    }

    /** Whether a replacement would store what is stored. A firing that has begun then still succeeds. */
    private static boolean isUnchanged(Schedule stored, NewSchedule schedule) {
        return stored.owner().equals(schedule.owner())
                && stored.name().equals(schedule.name())
                && stored.trigger().hasSameRule(schedule.trigger())
                && stored.concurrencyPolicy() == schedule.concurrencyPolicy()
                && stored.misfirePolicy() == schedule.misfirePolicy()
                && stored.request()
                        .text()
                        .equals(JsonSanitizer.sanitize(schedule.request().text()))
                && stored.pause().isPresent() == schedule.paused()
                && stored.runsBatch() == schedule.runsBatch();
    }

    /**
     * Keeps the start and the due time if the trigger is the same. Otherwise a client that replaces the schedule more
     * often than it is due would keep it from firing.
     */
    private static void saveReplacement(EntityManager session, Schedule stored, NewSchedule schedule, Instant now) {
        boolean sameRule = stored.trigger().hasSameRule(schedule.trigger());
        Trigger timing = sameRule ? stored.trigger() : schedule.trigger().startingAt(now);
        Instant dueAt = sameRule && stored.pause().isEmpty() ? stored.dueAt() : timing.nextAfter(now);
        save(session, ScheduleStatements.REPLACE, schedule, timing, dueAt, now);
    }

    /** @param tenant the tenant, encoded */
    static void deleteRows(EntityManager session, ScheduleId id, String tenant) {
        JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_CHUNKS, id.value(), tenant)
                .executeUpdate();
        JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_ROWS, id.value(), tenant)
                .executeUpdate();
    }

    private SaveResult writeWithUniqueName(Function<EntityManager, SaveResult> work) {
        try {
            return database.write(work);
        } catch (RuntimeException e) {
            if (SqlErrorClassifier.isDuplicate(e)) {
                return SaveResult.NAME_TAKEN;
            }
            throw e;
        }
    }

    private static void save(
            EntityManager session, String statement, NewSchedule schedule, Trigger timing, Instant dueAt, Instant now) {
        Trigger.@Nullable CronTrigger cron = timing instanceof Trigger.CronTrigger byCalendar ? byCalendar : null;
        Trigger.@Nullable IntervalTrigger every = timing instanceof Trigger.IntervalTrigger often ? often : null;
        JpaBatchStore.nativeQuery(
                        session,
                        statement,
                        schedule.id().value(),
                        LosslessText.encode(schedule.tenant()),
                        LosslessText.encode(schedule.owner()),
                        schedule.name(),
                        cron == null ? "" : cron.expression().toString(),
                        cron == null ? "" : cron.zone().getId(),
                        every == null ? 0L : every.period().toMillis(),
                        toOffsetDateTime(every == null ? now : every.start()),
                        schedule.concurrencyPolicy().name(),
                        schedule.misfirePolicy().name(),
                        JsonSanitizer.sanitize(schedule.request().text()),
                        schedule.paused(),
                        toOffsetDateTime(dueAt),
                        schedule.runsBatch())
                .executeUpdate();
    }

    @Override
    public Optional<Schedule> find(String tenant, ScheduleId id) {
        return database.read(tenant, session -> find(session, tenant, id));
    }

    private static Optional<Schedule> find(EntityManager session, String tenant, ScheduleId id) {
        return JpaBatchStore.selectRows(session, ScheduleStatements.FIND, id.value(), LosslessText.encode(tenant))
                .stream()
                .findFirst()
                .map(ScheduleEntityMapper::toSchedule);
    }

    @Override
    public List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit) {
        String whose = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? JpaBatchStore.selectRows(
                                        session,
                                        ScheduleStatements.OLDER,
                                        whose,
                                        before.get().value(),
                                        limit)
                                : JpaBatchStore.selectRows(session, ScheduleStatements.NEWEST, whose, limit))
                        .stream().map(ScheduleEntityMapper::toSchedule).toList());
    }

    @Override
    public boolean delete(String tenant, ScheduleId id) {
        return database.write(tenant, session -> {
            String whose = LosslessText.encode(tenant);
            if (JpaBatchStore.selectRows(session, ScheduleStatements.LOCK_OF_TENANT, id.value(), whose)
                    .isEmpty()) {
                return false;
            }
            JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_RUNS, id.value(), whose)
                    .executeUpdate();
            JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_BATCHES, id.value(), whose)
                    .executeUpdate();
            deleteRows(session, id, whose);
            return JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE, id.value(), whose)
                            .executeUpdate()
                    == 1;
        });
    }

    @Override
    public boolean pause(String tenant, ScheduleId id, String reason) {
        return database.write(
                tenant,
                session -> JpaBatchStore.nativeQuery(
                                        session,
                                        ScheduleStatements.PAUSE,
                                        id.value(),
                                        LosslessText.encode(tenant),
                                        LosslessText.encode(reason))
                                .executeUpdate()
                        == 1);
    }

    @Override
    public boolean resume(String tenant, ScheduleId id, String owner) {
        return database.write(tenant, session -> {
            Optional<Schedule> found = find(session, tenant, id);
            return found.isPresent()
                    && JpaBatchStore.nativeQuery(
                                            session,
                                            ScheduleStatements.RESUME,
                                            id.value(),
                                            LosslessText.encode(tenant),
                                            LosslessText.encode(owner),
                                            toOffsetDateTime(
                                                    found.get().trigger().nextAfter(now(session, tenant))))
                                    .executeUpdate()
                            == 1;
        });
    }

    @Override
    public List<DueSchedule> findDue(int limit) {
        return database.read(session -> JpaBatchStore.selectRows(session, ScheduleStatements.DUE, limit).stream()
                .map(ScheduleEntityMapper::toDueSchedule)
                .toList());
    }

    @Override
    public FireResult fire(Schedule seen, FireDecision.FireNow turn, NewExecution execution, Duration hold) {
        database.requireDiskSpace();
        return database.write(
                session -> new ScheduleFiring(session, submissionWriter, seen).fire(turn, execution, hold));
    }

    @Override
    public void skip(Schedule seen, FireDecision.SkipFire turn, Schedule.SkipReason reason) {
        database.write(session -> new ScheduleFiring(session, submissionWriter, seen).skip(turn, reason));
    }

    @Override
    public void postpone(Schedule seen, Duration wait, String reason) {
        database.write(session -> JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.POSTPONE_CHECK,
                        seen.id().value(),
                        seen.version(),
                        wait.toMillis(),
                        toOffsetDateTime(seen.dueAt()),
                        LosslessText.encode(reason))
                .executeUpdate());
    }

    @Override
    public void pauseIfUnchanged(Schedule seen, String reason) {
        database.write(session -> JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.STOP,
                        seen.id().value(),
                        seen.version(),
                        LosslessText.encode(reason))
                .executeUpdate());
    }

    @Override
    public boolean runNow(String tenant, ScheduleId id, NewExecution execution) {
        database.requireDiskSpace();
        try {
            return database.write(tenant, session -> storeManualRun(session, tenant, id, execution));
        } catch (RuntimeException e) {
            // If it is stored already, the caller repeats a write without an answer.
            if (SqlErrorClassifier.isDuplicate(e)
                    && database.read(session -> ExecutionQueries.findState(session, tenant, execution.id()))
                            .isPresent()) {
                return true;
            }
            throw e;
        }
    }

    private boolean storeManualRun(EntityManager session, String tenant, ScheduleId id, NewExecution execution) {
        if (JpaBatchStore.selectRows(
                        session, ScheduleStatements.LOCK_OF_TENANT, id.value(), LosslessText.encode(tenant))
                .isEmpty()) {
            return false;
        }
        submissionWriter.write(session, execution);
        session.flush();
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.MARK_EXECUTION,
                        execution.id().value(),
                        id.value().toString())
                .executeUpdate();
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.INSERT_MANUAL_RUN,
                        execution.id().value(),
                        id.value())
                .executeUpdate();
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.UPDATE_MANUAL_RUN,
                        id.value(),
                        execution.id().value())
                .executeUpdate();
        return true;
    }

    @Override
    public List<ScheduleRun> listRuns(ScheduleId id, Optional<ExecutionId> before, int limit) {
        return database.read(session -> (before.isPresent()
                        ? JpaBatchStore.selectRows(
                                session,
                                ScheduleStatements.RUNS_OLDER,
                                id.value(),
                                before.get().value(),
                                limit)
                        : JpaBatchStore.selectRows(session, ScheduleStatements.RUNS_NEWEST, id.value(), limit))
                .stream()
                        .map(row -> new ScheduleRun(
                                new ExecutionId(JpaBatchStore.uuid(row[0])),
                                Optional.ofNullable(row[1]).map(JpaScheduleStore::toInstant),
                                ExecutionState.valueOf(JpaBatchStore.text(row[2]))))
                        .toList());
    }

    private static Instant now(EntityManager session, String tenant) {
        return toInstant(
                JpaBatchStore.selectRows(session, ScheduleStatements.NOW_AND_COUNT, LosslessText.encode(tenant))
                        .get(0)[0]);
    }

    static Instant toInstant(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a column that must have a value is null");
        }
        return ExecutionQueries.toInstant(value);
    }

    static OffsetDateTime toOffsetDateTime(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
