package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore.ExpiredExecution;
import org.sallyport.tool.ToolName;

/**
 * Reads and deletes alarms: times, besides the next check, at which a sweeper must examine an execution. A {@code
 * START} alarm is due when the execution may start, an {@code END} alarm at its deadline. Alarms are rows of their own
 * table, so that an execution without alarms costs nothing extra.
 */
final class ExecutionAlarmQueries {
    /**
     * A next check at or after this time means that a bounded batch still holds the item; see {@link
     * BatchSubmissionWriter}.
     */
    private static final Instant BATCH_HOLD_TIME = Instant.parse("9999-01-01T00:00:00Z");

    /** For {@link Database#withSkipLocked}. */
    private static final String DUE = """
            select execution_id, kind from execution_alarm where at <= current_timestamp and kind = ?1
            order by at, execution_id limit ?2""";

    private static final String NEXT_START = """
            select at, current_timestamp from execution_alarm
            where at <= current_timestamp + cast(?1 as bigint) * interval '0.001' second and kind = 'START'
            order by at, execution_id limit 1
            """;

    private static final String DELETE_ALARM = "delete from execution_alarm where execution_id = ?1 and kind = ?2";

    /**
     * The runner of the execution ends it now, or may release it without having checked the deadline. The alarm
     * therefore fires again after one second.
     */
    private static final String RETRY_DEADLINE_ALARM = """
            update execution_alarm set at = current_timestamp + interval '1' second
            where execution_id = ?1 and kind = 'END'
            """;

    private static final int MAX_ROUNDS = 20;

    private static final String FIND_BY_IDS = "select e from ExecutionEntity e where e.id in :ids";

    private static final ExecutionError DEADLINE_ERROR =
            ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "the deadline of the execution passed before it had ended");

    private ExecutionAlarmQueries() {}

    /** Returns the jobs of at most {@code limit} executions whose start time has come. Each is returned once. */
    static List<ExecutionJob> takeDueStarts(EntityManager session, Database database, int limit) {
        List<UUID> due = findDueIds(session, database, "START", limit);
        for (UUID id : due) {
            deleteAlarm(session, id, "START");
        }
        return findExecutions(session, due)
                .filter(row -> row.state == ExecutionState.PENDING && !isHeldByBatch(row))
                .map(row -> new ExecutionJob(new ExecutionId(row.id), row.tenant, row.priority, row.attempt))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<UUID> findDueIds(EntityManager session, Database database, String kind, int limit) {
        List<Object[]> due = session.createNativeQuery(database.withSkipLocked(DUE))
                .setParameter(1, kind)
                .setParameter(2, limit)
                .getResultList();
        return due.stream().map(alarm -> (UUID) alarm[0]).toList();
    }

    private static void deleteAlarm(EntityManager session, UUID id, String kind) {
        JpaBatchStore.nativeQuery(session, DELETE_ALARM, id, kind).executeUpdate();
    }

    private static Stream<ExecutionEntity> findExecutions(EntityManager session, List<UUID> ids) {
        return ids.isEmpty()
                ? Stream.empty()
                : session.createQuery(FIND_BY_IDS, ExecutionEntity.class)
                        .setParameter("ids", ids)
                        .getResultStream();
    }

    private static boolean isHeldByBatch(ExecutionEntity row) {
        return row.nextCheckAt != null && !row.nextCheckAt.isBefore(BATCH_HOLD_TIME);
    }

    /**
     * Returns the earliest start time and the database's current time. Empty if no start is due within {@code
     * withinMillis}.
     */
    @SuppressWarnings("unchecked")
    static Optional<@Nullable Object[]> findNextStart(EntityManager session, long withinMillis) {
        return ((List<@Nullable Object[]>) JpaBatchStore.nativeQuery(session, NEXT_START, withinMillis)
                        .getResultList())
                .stream().findFirst();
    }

    /**
     * Ends executions whose deadline has passed and that no node runs.
     *
     * @param changes whether a call of the tool may have changed something although its answer is missing
     */
    static List<ExpiredExecution> endPastDeadline(
            EntityManager session, Database database, int limit, Predicate<ToolName> changes) {
        List<ExpiredExecution> ended = new ArrayList<>();
        // Of many executions with the same deadline nearly all may have ended before it. Further rounds keep their
        // alarms from hiding the alarms of the others.
        for (int round = 0, found = limit; round < MAX_ROUNDS && found == limit && ended.size() < limit; round++) {
            List<UUID> due = findDueIds(session, database, "END", limit);
            found = due.size();
            ended.addAll(endIdle(session, due, changes));
        }
        return ended;
    }

    private static List<ExpiredExecution> endIdle(EntityManager session, List<UUID> due, Predicate<ToolName> changes) {
        List<ExpiredExecution> ended = new ArrayList<>();
        // Rows locked by another transaction are tried again later: waiting for a lock while holding others could
        // deadlock.
        Set<UUID> free = ExecutionQueries.lockAvailable(session, due);
        for (UUID id : due) {
            if (!free.contains(id)) {
                JpaBatchStore.nativeQuery(session, RETRY_DEADLINE_ALARM, id).executeUpdate();
                continue;
            }
            int idle = session.createNamedQuery(ExecutionStatements.TIME_OUT)
                    .setParameter(1, id)
                    .setParameter(2, LosslessText.encode(DEADLINE_ERROR.code()))
                    .executeUpdate();
            if (idle == 1) {
                ExecutionId execution = new ExecutionId(id);
                OpenCallCloser.closeOpenCalls(session, execution, changes, "passed its deadline");
                session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                        .setParameter(1, id)
                        .executeUpdate();
                ExecutionOutcomeEntity.of(id, new ExecutionOutcome.ExecutionTimedOut(DEADLINE_ERROR))
                        .ifPresent(session::persist);
                ended.add(new ExpiredExecution(execution, WaitRegistrations.unregister(session, id)));
                deleteAlarm(session, id, "END");
            } else if (findExecutions(session, List.of(id)).allMatch(row -> row.state.isTerminal())) {
                deleteAlarm(session, id, "END");
            } else {
                JpaBatchStore.nativeQuery(session, RETRY_DEADLINE_ALARM, id).executeUpdate();
            }
        }
        return ended;
    }
}
