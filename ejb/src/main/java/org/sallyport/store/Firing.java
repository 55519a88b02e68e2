package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PendingJob;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.Fired;
import org.sallyport.schedule.Overlap;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.Turn;

/** Sees to one time of a schedule, within one transaction that has the schedule to itself. */
final class Firing {
    private final EntityManager session;
    private final Acceptances acceptances;
    private final Schedule seen;
    private final UUID id;

    Firing(EntityManager session, Acceptances acceptances, Schedule seen) {
        this.session = session;
        this.acceptances = acceptances;
        this.seen = seen;
        this.id = seen.id().value();
    }

    Fired fire(Turn.Run turn, NewExecution execution, Duration hold) {
        if (!stillDue()) {
            return new Fired.Overtaken();
        }
        List<ExecutionId> open = open();
        if (!open.isEmpty() && seen.overlap() == Overlap.SKIP) {
            leaveOut(turn.at(), Schedule.Why.OVERLAP, turn.next());
            return new Fired.LeftOut();
        } else if (!open.isEmpty() && seen.overlap() != Overlap.ALLOW) {
            JpaBatchStore.query(session, ScheduleStatements.HOLD, id, hold.toMillis())
                    .executeUpdate();
            return new Fired.Held(open);
        }
        acceptances.write(session, execution);
        session.flush();
        Failpoint.FIRING.reached(execution.id());
        JpaBatchStore.query(
                        session, ScheduleStatements.BEGIN, execution.id().value(), id, JpaScheduleStore.time(turn.at()))
                .executeUpdate();
        JpaBatchStore.query(
                        session,
                        ScheduleStatements.FIRED,
                        id,
                        execution.id().value(),
                        JpaScheduleStore.time(turn.at()),
                        JpaScheduleStore.time(turn.next()))
                .executeUpdate();
        return new Fired.Begun(new PendingJob(execution.id(), execution.tenant(), execution.priority(), 0));
    }

    boolean leave(Turn.Leave turn) {
        if (!stillDue()) {
            return false;
        }
        leaveOut(turn.at(), Schedule.Why.LATE, turn.next());
        return true;
    }

    private boolean stillDue() {
        List<@Nullable Object[]> locked = JpaBatchStore.rows(session, ScheduleStatements.LOCK, id, seen.version());
        return !locked.isEmpty() && JpaScheduleStore.instant(locked.get(0)[1]).equals(seen.dueAt());
    }

    /** What has not ended of its executions; what has is not looked at again. */
    private List<ExecutionId> open() {
        List<ExecutionId> open = new ArrayList<>();
        for (@Nullable Object[] row : JpaBatchStore.rows(session, ScheduleStatements.OPEN, id)) {
            ExecutionState state = row[1] == null ? null : ExecutionState.valueOf(JpaBatchStore.text(row[1]));
            if (state == null || state.terminal()) {
                JpaBatchStore.query(session, ScheduleStatements.CLOSE, JpaBatchStore.uuid(row[0]))
                        .executeUpdate();
            } else {
                open.add(new ExecutionId(JpaBatchStore.uuid(row[0])));
            }
        }
        return open;
    }

    private void leaveOut(Instant at, Schedule.Why why, Instant next) {
        JpaBatchStore.query(
                        session,
                        ScheduleStatements.LEFT_OUT,
                        id,
                        JpaScheduleStore.time(at),
                        why.name(),
                        JpaScheduleStore.time(next))
                .executeUpdate();
    }
}
