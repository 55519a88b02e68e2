package org.sallyport.store;

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
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore.Late;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.PendingJob;
import org.sallyport.tool.ToolName;

/**
 * Times at which somebody must look at executions besides their next check: when they may begin, and when they must have ended.
 * They are rows of their own: an execution without any costs no more than before.
 */
final class Alarms {
    /** Until when an item of a bounded batch is let go; see {@link BatchInserts}. */
    private static final Instant HELD = Instant.parse("9999-01-01T00:00:00Z");

    /** For {@link Database#skippingLocked}. */
    private static final String DUE = """
            select execution_id, kind from execution_alarm where at <= current_timestamp and kind = ?1
            order by at, execution_id limit ?2""";

    private static final String NEXT_START = """
            select at, current_timestamp from execution_alarm
            where at <= current_timestamp + cast(?1 as bigint) * interval '0.001' second and kind = 'START'
            order by at, execution_id limit 1
            """;

    private static final String DONE = "delete from execution_alarm where execution_id = ?1 and kind = ?2";

    /** Its runner ends it now, or lets it go without having heard the time. */
    private static final String AGAIN = """
            update execution_alarm set at = current_timestamp + interval '1' second
            where execution_id = ?1 and kind = 'END'
            """;

    private static final int ROUNDS = 20;

    private static final String ROWS = "select e from ExecutionRow e where e.id in :ids";

    private static final ExecutionError LATE =
            ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "the deadline of the execution passed before it had ended");

    private Alarms() {}

    /** The jobs of those whose time to begin has come; each is given out once. */
    static List<PendingJob> starts(EntityManager session, Database database, int limit) {
        List<UUID> due = due(session, database, "START", limit);
        for (UUID id : due) {
            done(session, id, "START");
        }
        return rows(session, due)
                .filter(row -> row.state == ExecutionState.PENDING && !held(row))
                .map(row -> new PendingJob(new ExecutionId(row.id), row.tenant, row.priority, row.attempt))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<UUID> due(EntityManager session, Database database, String kind, int limit) {
        List<Object[]> due = session.createNativeQuery(database.skippingLocked(DUE))
                .setParameter(1, kind)
                .setParameter(2, limit)
                .getResultList();
        return due.stream().map(alarm -> (UUID) alarm[0]).toList();
    }

    private static void done(EntityManager session, UUID id, String kind) {
        JpaBatchStore.query(session, DONE, id, kind).executeUpdate();
    }

    private static Stream<ExecutionRow> rows(EntityManager session, List<UUID> ids) {
        return ids.isEmpty()
                ? Stream.empty()
                : session.createQuery(ROWS, ExecutionRow.class)
                        .setParameter("ids", ids)
                        .getResultStream();
    }

    private static boolean held(ExecutionRow row) {
        return row.nextCheckAt != null && !row.nextCheckAt.isBefore(HELD);
    }

    /** The next one's time to begin and the present one, if that is soon enough. */
    @SuppressWarnings("unchecked")
    static Optional<@Nullable Object[]> next(EntityManager session, long withinMillis) {
        return ((List<@Nullable Object[]>)
                        JpaBatchStore.query(session, NEXT_START, withinMillis).getResultList())
                .stream().findFirst();
    }

    /**
     * Ends those whose deadline has passed and that nobody runs.
     *
     * @param changes whether a tool may have changed something when its answer is missing
     */
    static List<Late> endLate(EntityManager session, Database database, int limit, Predicate<ToolName> changes) {
        List<Late> ended = new ArrayList<>();
        // Of many with one deadline nearly all may have ended before it: their alarms hide nobody's.
        for (int round = 0, found = limit; round < ROUNDS && found == limit && ended.size() < limit; round++) {
            List<UUID> due = due(session, database, "END", limit);
            found = due.size();
            ended.addAll(end(session, due, changes));
        }
        return ended;
    }

    private static List<Late> end(EntityManager session, List<UUID> due, Predicate<ToolName> changes) {
        List<Late> ended = new ArrayList<>();
        // Those that somebody else has just now are looked at again: to wait for one with others in hand could be for
        // ever.
        Set<UUID> free = ExecutionQueries.hold(session, due);
        for (UUID id : due) {
            if (!free.contains(id)) {
                JpaBatchStore.query(session, AGAIN, id).executeUpdate();
                continue;
            }
            int idle = session.createNamedQuery(ExecutionStatements.END_LATE)
                    .setParameter(1, id)
                    .setParameter(2, LosslessText.encode(LATE.code()))
                    .executeUpdate();
            if (idle == 1) {
                ExecutionId execution = new ExecutionId(id);
                UnansweredCalls.end(session, execution, changes, "passed its deadline");
                session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                        .setParameter(1, id)
                        .executeUpdate();
                OutcomeRow.of(id, new Outcome.TimedOut(LATE)).ifPresent(session::persist);
                ended.add(new Late(execution, ParkedWaits.forget(session, id)));
                done(session, id, "END");
            } else if (rows(session, List.of(id)).allMatch(row -> row.state.terminal())) {
                done(session, id, "END");
            } else {
                JpaBatchStore.query(session, AGAIN, id).executeUpdate();
            }
        }
        return ended;
    }
}
