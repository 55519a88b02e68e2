package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OrphanedExecution;
import org.sallyport.execution.Suspension;

/**
 * Finds orphaned and parked executions, and requeues, resumes or fails them. Each method runs in the transaction of its
 * caller.
 */
final class OrphanQueries {
    private static final String FIND = """
            select e.id, e.attempt, e.durability, e.cancelRequested, e.nodeLosses, e.lossesAlone, e.runsAlone,
                e.replayLosses, e.replaysAlone
            from ExecutionEntity e
            where e.state = :running and e.node <> :self and not exists
                (select n.id from NodeEntity n where n.leaseOwner = e.node and n.leaseUntil > current_timestamp)
            """;

    /** Skips an execution that another transaction is resuming or ending at this moment: it needs no further resume. */
    private static final String LOCK_WAITING = """
            select id, attempt, tenant, priority from execution
            where id = ?1 and state = 'WAITING' for update skip locked
            """;

    private static final String ORPHANED_WAITS = """
            select w.execution_id from tool_wait w
            where w.node <> ?1 and not exists
                (select 1 from node n where n.lease_owner = w.node and n.lease_until > current_timestamp)
            limit ?2
            """;

    private OrphanQueries() {}

    static List<OrphanedExecution> find(EntityManager session, String self, int limit) {
        return session.createQuery(FIND, Object[].class)
                .setParameter("running", ExecutionState.RUNNING)
                .setParameter("self", self)
                .setMaxResults(limit)
                .getResultStream()
                .map(row -> new OrphanedExecution(
                        new FencingToken(new ExecutionId((UUID) row[0]), (Integer) row[1]),
                        Durability.of((String) row[2]),
                        (Boolean) row[3],
                        (Integer) row[4],
                        (Integer) row[5],
                        (Boolean) row[6],
                        (Integer) row[7],
                        (Boolean) row[8]))
                .toList();
    }

    static boolean requeue(EntityManager session, FencingToken fence) {
        return requeue(
                fence,
                session,
                session.createNamedQuery(ExecutionStatements.REQUEUE)
                        .setParameter(3, ThreadLocalRandom.current().nextInt(60_000)));
    }

    static boolean requeueOwn(EntityManager session, FencingToken fence) {
        return requeue(fence, session, session.createNamedQuery(ExecutionStatements.REQUEUE_OWN));
    }

    private static boolean requeue(FencingToken fence, EntityManager session, Query statement) {
        int given = statement
                .setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .executeUpdate();
        return given == 1 && closeTrace(session, fence);
    }

    @SuppressWarnings("unchecked")
    static List<ExecutionJob> resume(EntityManager session, Database database, int limit, Duration alone) {
        List<Object[]> due = session.createNativeQuery(database.withSkipLocked(ExecutionStatements.DUE_WAITS_SQL))
                .setParameter(1, limit)
                .getResultList();
        List<ExecutionJob> jobs = new ArrayList<>();
        for (Object[] row : database.lockAvailable(session, due)) {
            boolean more = !Suspension.SuspensionReason.TIMER.text().equals(row[4]);
            if (resume(session, ExecutionQueries.toFencingToken(row), alone, more)) {
                jobs.add(toJob(row));
            }
        }
        return jobs;
    }

    /** @param row columns in this order: id, attempt, tenant, priority; further columns are ignored */
    private static ExecutionJob toJob(Object[] row) {
        FencingToken fence = ExecutionQueries.toFencingToken(row);
        return new ExecutionJob(
                fence.id(), LosslessText.decode((String) row[2]), ((Number) row[3]).intValue(), fence.attempt());
    }

    @SuppressWarnings("unchecked")
    static Optional<Duration> timeToNextResume(EntityManager session, Duration within) {
        List<Object[]> next = session.createNamedQuery(ExecutionStatements.NEXT_RESUME)
                .setParameter(1, within.toMillis())
                .getResultList();
        return Stream.concat(next.stream(), ExecutionAlarmQueries.findNextStart(session, within.toMillis()).stream())
                .map(row -> Duration.between(ExecutionQueries.toInstant(row[1]), ExecutionQueries.toInstant(row[0])))
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait)
                .min(Comparator.naturalOrder());
    }

    /** Resumes a parked execution whose row the transaction has locked. */
    static void resume(EntityManager session, FencingToken fence) {
        resume(session, fence, Duration.ZERO, true);
    }

    /**
     * Resumes a parked execution.
     *
     * @param alone for how long no other node is given the job; with zero the job is overdue at once
     * @param more whether the execution may wait for more than its timers, so that its wait conditions are deleted
     * @return false if the execution is no longer parked
     */
    static boolean resume(EntityManager session, FencingToken fence, Duration alone, boolean more) {
        int woken = session.createNamedQuery(ExecutionStatements.RESUME)
                .setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .setParameter(3, alone.toMillis())
                .executeUpdate();
        if (woken == 0) {
            return false;
        }
        if (more) {
            WaitRegistrations.unregister(session, fence.id().value());
        }
        return closeTrace(session, fence);
    }

    /** Resumes those of {@code executions} that are parked. Returns their jobs. */
    static List<ExecutionJob> resumeEach(EntityManager session, List<?> executions) {
        List<ExecutionJob> woken = new ArrayList<>();
        for (Object execution : executions) {
            List<?> parked = session.createNativeQuery(LOCK_WAITING)
                    .setParameter(1, execution)
                    .getResultList();
            if (!parked.isEmpty()) {
                Object[] row = (Object[]) parked.get(0);
                resume(session, ExecutionQueries.toFencingToken(row));
                woken.add(toJob(row));
            }
        }
        return woken;
    }

    /** Resumes executions that wait for tool replies to a node without a valid lease. Returns how many it resumed. */
    static int resumeOrphanedWaits(EntityManager session, String self, int limit) {
        return resumeEach(
                        session,
                        session.createNativeQuery(ORPHANED_WAITS)
                                .setParameter(1, self)
                                .setParameter(2, limit)
                                .getResultList())
                .size();
    }

    static boolean failPending(EntityManager session, FencingToken lastAttempt, ExecutionError error) {
        int ended = session.createNamedQuery(ExecutionStatements.FAIL_PENDING)
                .setParameter(1, lastAttempt.id().value())
                .setParameter(2, lastAttempt.attempt())
                .setParameter(3, LosslessText.encode(error.code()))
                .executeUpdate();
        if (ended == 0) {
            return false;
        }
        ExecutionOutcomeEntity.of(lastAttempt.id().value(), new ExecutionOutcome.ExecutionFailed(error))
                .ifPresent(session::persist);
        JpaDeadLetterStore.insert(session, lastAttempt.id());
        return closeTrace(session, lastAttempt);
    }

    private static boolean closeTrace(EntityManager session, FencingToken fence) {
        session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                .setParameter(1, fence.id().value())
                .executeUpdate();
        return true;
    }
}
