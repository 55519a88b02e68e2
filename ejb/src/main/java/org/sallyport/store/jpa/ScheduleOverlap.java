package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;

/**
 * The executions and batches of a schedule that have not ended, of both kinds, because the kind of a schedule can
 * change. The caller's transaction has locked the schedule.
 */
record ScheduleOverlap(List<ExecutionId> executions, List<BatchId> batches) {

    /** Finds what has not ended. Closes the rest, so that it is not read again. */
    static ScheduleOverlap find(EntityManager session, UUID schedule) {
        JpaBatchStore.nativeQuery(session, ScheduleStatements.FINISH_ENDED_BATCHES, schedule)
                .executeUpdate();
        List<?> batches = JpaBatchStore.nativeQuery(session, ScheduleStatements.ACTIVE_BATCHES, schedule)
                .getResultList();
        return new ScheduleOverlap(
                findExecutions(session, schedule),
                batches.stream()
                        .map(each -> new BatchId(JpaBatchStore.uuid(each)))
                        .toList());
    }

    private static List<ExecutionId> findExecutions(EntityManager session, UUID schedule) {
        List<ExecutionId> open = new ArrayList<>();
        for (@Nullable Object[] row : JpaBatchStore.selectRows(session, ScheduleStatements.ACTIVE_RUNS, schedule)) {
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

    boolean isEmpty() {
        return executions.isEmpty() && batches.isEmpty();
    }

    /** Returns whether a time of the schedule may not be handled by a run now. */
    static boolean prevents(EntityManager session, Schedule schedule) {
        return schedule.concurrencyPolicy() != ConcurrencyPolicy.ALLOW
                && !find(session, schedule.id().value()).isEmpty();
    }

    /** Skips or defers the time, by the policy of the schedule. Returns empty if it can be handled by a run now. */
    static Optional<FireResult> skipOrDefer(
            EntityManager session, Schedule schedule, FireDecision.FireNow turn, Duration hold) {
        UUID id = schedule.id().value();
        if (schedule.concurrencyPolicy() == ConcurrencyPolicy.ALLOW) {
            return Optional.empty();
        }
        ScheduleOverlap open = find(session, id);
        if (open.isEmpty()) {
            return Optional.empty();
        } else if (schedule.concurrencyPolicy() == ConcurrencyPolicy.SKIP) {
            ScheduleFiring.recordSkip(session, id, turn.at(), Schedule.SkipReason.OVERLAP, turn.nextDueAt());
            return Optional.of(new FireResult.FireSkipped());
        }
        JpaBatchStore.nativeQuery(session, ScheduleStatements.WAIT_FOR_PREVIOUS, id, hold.toMillis())
                .executeUpdate();
        return Optional.of(new FireResult.FireDeferred(open.executions(), open.batches()));
    }
}
