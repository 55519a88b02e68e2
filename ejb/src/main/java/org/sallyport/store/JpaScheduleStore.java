package org.sallyport.store;

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
import org.sallyport.schedule.Fired;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.Saved;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Timing;
import org.sallyport.schedule.Turn;

/** Schedules in the database. */
public final class JpaScheduleStore implements ScheduleStore {
    private final Database database;
    private final Acceptances acceptances;

    /** @param firstCheck how long after its acceptance a job that nobody took counts as overdue */
    public JpaScheduleStore(Database database, Duration firstCheck) {
        this.database = database;
        this.acceptances = new Acceptances(database, firstCheck);
    }

    @Override
    public Saved create(NewSchedule schedule, int most) {
        database.requireRoom();
        return named(session -> {
            @Nullable Object[] now = JpaBatchStore.rows(session, ScheduleStatements.NOW, LosslessText.encode(schedule.tenant()))
                    .get(0);
            if (JpaBatchStore.number(now[1]) >= most) {
                return Saved.TOO_MANY;
            }
            put(session, ScheduleStatements.CREATE, schedule, instant(now[0]));
            return Saved.STORED;
        });
    }

    @Override
    public Saved replace(NewSchedule schedule) {
        return named(session -> put(session, ScheduleStatements.REPLACE, schedule, now(session, schedule.tenant())) == 1
                ? Saved.STORED
                : Saved.MISSING);
    }

    private Saved named(Function<EntityManager, Saved> work) {
        try {
            return database.write(work);
        } catch (RuntimeException e) {
            if (SqlFailures.isDuplicate(e)) {
                return Saved.NAME_TAKEN;
            }
            throw e;
        }
    }

    private static int put(EntityManager session, String statement, NewSchedule schedule, Instant now) {
        Timing timing = schedule.timing().writtenAt(now);
        Timing.@Nullable Cron cron = timing instanceof Timing.Cron byCalendar ? byCalendar : null;
        Timing.@Nullable Every every = timing instanceof Timing.Every often ? often : null;
        return JpaBatchStore.query(
                        session,
                        statement,
                        schedule.id().value(),
                        LosslessText.encode(schedule.tenant()),
                        LosslessText.encode(schedule.owner()),
                        schedule.name(),
                        cron == null ? "" : cron.expression().toString(),
                        cron == null ? "" : cron.zone().getId(),
                        every == null ? 0L : every.period().toMillis(),
                        time(every == null ? now : every.start()),
                        schedule.overlap().name(),
                        schedule.catchUp().name(),
                        StorableJson.of(schedule.request().text()),
                        schedule.paused(),
                        time(timing.next(now)))
                .executeUpdate();
    }

    @Override
    public Optional<Schedule> find(String tenant, ScheduleId id) {
        return database.read(tenant, session -> find(session, tenant, id));
    }

    private static Optional<Schedule> find(EntityManager session, String tenant, ScheduleId id) {
        return JpaBatchStore.rows(session, ScheduleStatements.FIND, id.value(), LosslessText.encode(tenant)).stream()
                .findFirst()
                .map(ScheduleRows::schedule);
    }

    @Override
    public List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit) {
        String whose = LosslessText.encode(tenant);
        return database.read(
                tenant,
                session -> (before.isPresent()
                                ? JpaBatchStore.rows(
                                        session,
                                        ScheduleStatements.OLDER,
                                        whose,
                                        before.get().value(),
                                        limit)
                                : JpaBatchStore.rows(session, ScheduleStatements.NEWEST, whose, limit))
                        .stream().map(ScheduleRows::schedule).toList());
    }

    @Override
    public boolean delete(String tenant, ScheduleId id) {
        return database.write(tenant, session -> {
            String whose = LosslessText.encode(tenant);
            if (JpaBatchStore.rows(session, ScheduleStatements.LOCK_OF_TENANT, id.value(), whose)
                    .isEmpty()) {
                return false;
            }
            JpaBatchStore.query(session, ScheduleStatements.DELETE_RUNS, id.value(), whose)
                    .executeUpdate();
            return JpaBatchStore.query(session, ScheduleStatements.DELETE, id.value(), whose)
                            .executeUpdate()
                    == 1;
        });
    }

    @Override
    public boolean pause(String tenant, ScheduleId id, String reason) {
        return database.write(
                tenant,
                session -> JpaBatchStore.query(
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
                    && JpaBatchStore.query(
                                            session,
                                            ScheduleStatements.RESUME,
                                            id.value(),
                                            LosslessText.encode(tenant),
                                            LosslessText.encode(owner),
                                            time(found.get().timing().next(now(session, tenant))))
                                    .executeUpdate()
                            == 1;
        });
    }

    @Override
    public List<Due> due(int limit) {
        return database.read(session -> JpaBatchStore.rows(session, ScheduleStatements.DUE, limit).stream()
                .map(ScheduleRows::due)
                .toList());
    }

    @Override
    public Fired fire(Schedule seen, Turn.Run turn, NewExecution execution, Duration hold) {
        database.requireRoom();
        return database.write(session -> new Firing(session, acceptances, seen).fire(turn, execution, hold));
    }

    @Override
    public void leave(Schedule seen, Turn.Leave turn) {
        database.write(session -> new Firing(session, acceptances, seen).leave(turn));
    }

    @Override
    public void later(Schedule seen, Duration wait) {
        database.write(session -> JpaBatchStore.query(
                        session,
                        ScheduleStatements.LATER,
                        seen.id().value(),
                        seen.version(),
                        wait.toMillis(),
                        time(seen.dueAt()))
                .executeUpdate());
    }

    @Override
    public void stop(Schedule seen, String reason) {
        database.write(session -> JpaBatchStore.query(
                        session,
                        ScheduleStatements.STOP,
                        seen.id().value(),
                        seen.version(),
                        LosslessText.encode(reason))
                .executeUpdate());
    }

    @Override
    public boolean run(String tenant, ScheduleId id, NewExecution execution) {
        database.requireRoom();
        return database.write(tenant, session -> {
            if (JpaBatchStore.rows(session, ScheduleStatements.LOCK_OF_TENANT, id.value(), LosslessText.encode(tenant))
                    .isEmpty()) {
                return false;
            }
            acceptances.write(session, execution);
            session.flush();
            JpaBatchStore.query(
                            session,
                            ScheduleStatements.BEGIN_ASKED,
                            execution.id().value(),
                            id.value())
                    .executeUpdate();
            JpaBatchStore.query(
                            session,
                            ScheduleStatements.ASKED,
                            id.value(),
                            execution.id().value())
                    .executeUpdate();
            return true;
        });
    }

    @Override
    public List<Run> runs(ScheduleId id, Optional<ExecutionId> before, int limit) {
        return database.read(session -> (before.isPresent()
                        ? JpaBatchStore.rows(
                                session,
                                ScheduleStatements.RUNS_OLDER,
                                id.value(),
                                before.get().value(),
                                limit)
                        : JpaBatchStore.rows(session, ScheduleStatements.RUNS_NEWEST, id.value(), limit))
                .stream()
                        .map(row -> new Run(
                                new ExecutionId(JpaBatchStore.uuid(row[0])),
                                Optional.ofNullable(row[1]).map(JpaScheduleStore::instant),
                                ExecutionState.valueOf(JpaBatchStore.text(row[2]))))
                        .toList());
    }

    private static Instant now(EntityManager session, String tenant) {
        return instant(JpaBatchStore.rows(session, ScheduleStatements.NOW, LosslessText.encode(tenant))
                .get(0)[0]);
    }

    static Instant instant(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a column that always has a value has none");
        }
        return ExecutionQueries.instant(value);
    }

    static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
