package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.ConcurrencyPolicy;
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
        if (!lockIfStillDue()) {
            return new FireResult.FireSuperseded();
        }
        List<ExecutionId> open = findActiveExecutions();
        if (!open.isEmpty() && schedule.concurrencyPolicy() == ConcurrencyPolicy.SKIP) {
            recordSkip(turn.at(), Schedule.SkipReason.OVERLAP, turn.nextDueAt());
            return new FireResult.FireSkipped();
        } else if (!open.isEmpty() && schedule.concurrencyPolicy() != ConcurrencyPolicy.ALLOW) {
            JpaBatchStore.nativeQuery(session, ScheduleStatements.WAIT_FOR_PREVIOUS, id, hold.toMillis())
                    .executeUpdate();
            return new FireResult.FireDeferred(open);
        }
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
        if (!lockIfStillDue()) {
            return false;
        }
        recordSkip(turn.at(), reason, turn.nextDueAt());
        return true;
    }

    private boolean lockIfStillDue() {
        return lockIfStillDue(session, schedule);
    }

    /** Locks the schedule. Returns false if its time was handled, it was changed, or another transaction has it. */
    static boolean lockIfStillDue(EntityManager session, Schedule schedule) {
        List<@Nullable Object[]> locked = JpaBatchStore.selectRows(
                session, ScheduleStatements.LOCK, schedule.id().value(), schedule.version());
        return !locked.isEmpty() && JpaScheduleStore.toInstant(locked.get(0)[1]).equals(schedule.dueAt());
    }

    /**
     * Returns the executions of the schedule that have not ended. Closes the runs of ended ones, so that they are not
     * read again.
     */
    private List<ExecutionId> findActiveExecutions() {
        List<ExecutionId> open = new ArrayList<>();
        for (@Nullable Object[] row : JpaBatchStore.selectRows(session, ScheduleStatements.ACTIVE_RUNS, id)) {
            ExecutionState state = row[1] == null ? null : ExecutionState.valueOf(JpaBatchStore.text(row[1]));
            if (state == null || state.isTerminal()) {
                JpaBatchStore.nativeQuery(session, ScheduleStatements.FINISH_RUN, JpaBatchStore.uuid(row[0]))
                        .executeUpdate();
            } else {
                open.add(new ExecutionId(JpaBatchStore.uuid(row[0])));
            }
        }
        return open;
    }

    private void recordSkip(Instant at, Schedule.SkipReason why, Instant next) {
        recordSkip(session, id, at, why, next);
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
