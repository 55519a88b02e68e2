package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.NewExecution;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;

/** Handles one due time of a schedule, within one transaction that locks the schedule. Not thread-safe. */
final class ScheduleFiring {
    private final EntityManager session;
    private final SubmissionWriter submissionWriter;
    private final Schedule schedule;
    private final UUID id;

    ScheduleFiring(EntityManager session, SubmissionWriter acceptances, Schedule seen) {
        this.session = session;
        this.submissionWriter = acceptances;
        this.schedule = seen;
        this.id = seen.id().value();
    }

    FireResult fire(FireDecision.FireNow turn, NewExecution execution, Duration hold) {
        if (!lockIfStillDue(session, ScheduleStatements.LOCK, schedule)) {
            return new FireResult.FireSuperseded();
        }
        return ScheduleOverlap.skipOrDefer(session, schedule, turn, hold).orElseGet(() -> store(turn, execution));
    }

    private FireResult store(FireDecision.FireNow turn, NewExecution execution) {
        submissionWriter.write(session, execution);
        session.flush();
        Failpoint.FIRING.reached(execution.id());
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.MARK_EXECUTION,
                        execution.id().value(),
                        id.toString())
                .executeUpdate();
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.INSERT_RUN,
                        execution.id().value(),
                        id,
                        JpaScheduleStore.toOffsetDateTime(turn.at()))
                .executeUpdate();
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.UPDATE_FIRED,
                        id,
                        execution.id().value(),
                        JpaScheduleStore.toOffsetDateTime(turn.at()),
                        JpaScheduleStore.toOffsetDateTime(turn.nextDueAt()))
                .executeUpdate();
        return new FireResult.ScheduleFired(
                new ExecutionJob(execution.id(), execution.tenant(), execution.priority(), 0));
    }

    boolean skip(FireDecision.SkipFire turn, Schedule.SkipReason reason) {
        Optional<Boolean> queued = lock(session, ScheduleStatements.LOCK, schedule);
        // Another node found a queued time early enough.
        if (queued.isEmpty() || queued.get() && reason == Schedule.SkipReason.LATE) {
            return false;
        }
        recordSkip(session, id, turn.at(), reason, turn.nextDueAt());
        return true;
    }

    /**
     * Locks the schedule. Returns false if its time was handled, or the statement does not select it: it was changed,
     * for example.
     */
    static boolean lockIfStillDue(EntityManager session, String statement, Schedule schedule) {
        return lock(session, statement, schedule).isPresent();
    }

    /** Returns whether the time is queued; empty if the schedule is not locked. */
    private static Optional<Boolean> lock(EntityManager session, String statement, Schedule schedule) {
        List<@Nullable Object[]> locked =
                JpaBatchStore.selectRows(session, statement, schedule.id().value(), schedule.version());
        return locked.stream()
                .filter(row -> JpaScheduleStore.toInstant(row[0]).equals(schedule.dueAt()))
                .map(row -> Boolean.TRUE.equals(row[1]))
                .findFirst();
    }

    static void recordSkip(EntityManager session, UUID id, Instant at, Schedule.SkipReason why, Instant next) {
        JpaBatchStore.nativeQuery(
                        session,
                        ScheduleStatements.RECORD_SKIP,
                        id,
                        JpaScheduleStore.toOffsetDateTime(at),
                        why.name(),
                        JpaScheduleStore.toOffsetDateTime(next))
                .executeUpdate();
    }
}
