package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.UUID;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Orphan;
import org.sallyport.execution.Outcome;

/** Executions that nobody has in hands any more: found, given back, or ended. */
final class Orphans {
    private static final String FIND = """
            select e.id, e.attempt, e.durability, e.cancelRequested, e.lostRuns from ExecutionRow e
            where e.state = :running and e.node <> :self and not exists
                (select n.id from NodeRow n where n.holder = e.node and n.leaseUntil > current_timestamp)
            """;

    private Orphans() {}

    static List<Orphan> find(EntityManager session, String self, int limit) {
        return session.createQuery(FIND, Object[].class)
                .setParameter("running", ExecutionState.RUNNING)
                .setParameter("self", self)
                .setMaxResults(limit)
                .getResultStream()
                .map(row -> new Orphan(
                        new Fence(new ExecutionId((UUID) row[0]), (Integer) row[1]),
                        Durability.of((String) row[2]),
                        (Boolean) row[3],
                        (Integer) row[4]))
                .toList();
    }

    static boolean requeue(EntityManager session, Fence fence) {
        int given = session.createNamedQuery(ExecutionStatements.REQUEUE)
                .setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .executeUpdate();
        return given == 1 && closeTrace(session, fence);
    }

    @SuppressWarnings("unchecked")
    static int wake(EntityManager session, int limit) {
        List<Object[]> due = session.createNamedQuery(ExecutionStatements.DUE)
                .setParameter(1, limit)
                .getResultList();
        for (Object[] row : due) {
            wake(session, ExecutionQueries.fence(row));
        }
        return due.size();
    }

    /** Lets a parked execution go on that the transaction holds. */
    static void wake(EntityManager session, Fence fence) {
        session.createNamedQuery(ExecutionStatements.WAKE)
                .setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .executeUpdate();
        closeTrace(session, fence);
    }

    static boolean failPending(EntityManager session, Fence lastAttempt, ExecutionError error) {
        int ended = session.createNamedQuery(ExecutionStatements.FAIL_PENDING)
                .setParameter(1, lastAttempt.id().value())
                .setParameter(2, lastAttempt.attempt())
                .setParameter(3, LosslessText.encode(error.code()))
                .executeUpdate();
        if (ended == 0) {
            return false;
        }
        OutcomeRow.of(lastAttempt.id().value(), new Outcome.Failed(error)).ifPresent(session::persist);
        JpaDeadLetterStore.write(session, lastAttempt.id());
        return closeTrace(session, lastAttempt);
    }

    private static boolean closeTrace(EntityManager session, Fence fence) {
        session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                .setParameter(1, fence.id().value())
                .executeUpdate();
        return true;
    }
}
