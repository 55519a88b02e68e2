package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.SuspendRequest;

/**
 * Registers what parked executions wait for, except timers and approvals. A transaction that parks an execution on an
 * event, and a transaction that emits an event, both lock the event sequence of the tenant. Therefore either the
 * parking transaction sees the event, or the emitting transaction sees the wait condition. Each method runs in the
 * transaction of its caller.
 */
final class WaitRegistrations {
    private static final String FIND_TENANT = "select tenant from execution where id = ?1";
    private static final String FIND_EVENT =
            "select seq from event where tenant = ?1 and name = ?2 and seq > cast(?3 as bigint) limit 1";
    private static final String INSERT_EVENT_WAIT = """
            insert into event_wait (execution_id, name, tenant, after_seq)
            select id, ?2, tenant, cast(?3 as bigint) from execution where id = ?1
            """;
    private static final String INSERT_TOOL_WAIT = "insert into tool_wait (execution_id, node) values (?1, ?2)";
    private static final String DELETE_EVENT_WAITS = "delete from event_wait where execution_id = ?1";
    private static final String DELETE_TOOL_WAIT = "delete from tool_wait where execution_id = ?1";
    private static final String FIND_WAITING = """
            select execution_id from event_wait
            where tenant = ?1 and name = ?2 and after_seq < cast(?3 as bigint) limit ?4
            """;
    private static final String FIND_MISSED = """
            select w.execution_id from event_wait w
            where exists (select 1 from event e where e.tenant = w.tenant and e.name = w.name and e.seq > w.after_seq)
            limit ?1
            """;

    private WaitRegistrations() {}

    /**
     * Whether one of the events is already stored. If {@code events} is not empty, the lock that this takes blocks
     * emitters until the transaction ends.
     */
    static boolean anyEventStored(EntityManager session, ExecutionId id, List<SuspendRequest.EventWait> events) {
        if (events.isEmpty()) {
            return false;
        }
        Object tenant = session.createNativeQuery(FIND_TENANT)
                .setParameter(1, id.value())
                .getSingleResult();
        EventSequenceEntity.lockOrCreate(session, (String) tenant);
        return events.stream()
                .anyMatch(event -> !session.createNativeQuery(FIND_EVENT)
                        .setParameter(1, tenant)
                        .setParameter(2, LosslessText.encode(event.name()))
                        .setParameter(3, event.after())
                        .getResultList()
                        .isEmpty());
    }

    static void register(EntityManager session, ExecutionId id, SuspendRequest parking) {
        parking.replyLeaseOwner()
                .ifPresent(node -> session.createNativeQuery(INSERT_TOOL_WAIT)
                        .setParameter(1, id.value())
                        .setParameter(2, node)
                        .executeUpdate());
        for (SuspendRequest.EventWait event : parking.events()) {
            session.createNativeQuery(INSERT_EVENT_WAIT)
                    .setParameter(1, id.value())
                    .setParameter(2, LosslessText.encode(event.name()))
                    .setParameter(3, event.after())
                    .executeUpdate();
        }
    }

    /** Deletes the wait conditions of an execution. Returns whether it waited for tool replies. */
    static boolean unregister(EntityManager session, UUID execution) {
        session.createNativeQuery(DELETE_EVENT_WAITS).setParameter(1, execution).executeUpdate();
        return session.createNativeQuery(DELETE_TOOL_WAIT)
                        .setParameter(1, execution)
                        .executeUpdate()
                > 0;
    }

    /**
     * Whether the event {@code seq} of that name would resume a parked execution.
     *
     * @param tenant in its stored form
     * @param name in its stored form
     */
    static boolean isAwaited(EntityManager session, String tenant, String name, long seq) {
        return !findWaiting(session, tenant, name, seq, 1).isEmpty();
    }

    /**
     * Resumes executions that wait for the event with that name and number, at most {@code limit}. Returns their jobs.
     */
    static List<ExecutionJob> resumeWaiting(EntityManager session, String tenant, String name, long seq, int limit) {
        return OrphanQueries.resumeEach(
                session, findWaiting(session, LosslessText.encode(tenant), LosslessText.encode(name), seq, limit));
    }

    /**
     * Resumes executions whose event is stored although their resume after the emit was missed, at most {@code limit}.
     * Returns their jobs.
     */
    static List<ExecutionJob> resumeMissed(EntityManager session, int limit) {
        return OrphanQueries.resumeEach(
                session,
                session.createNativeQuery(FIND_MISSED).setParameter(1, limit).getResultList());
    }

    private static List<?> findWaiting(EntityManager session, String tenant, String name, long seq, int limit) {
        return session.createNativeQuery(FIND_WAITING)
                .setParameter(1, tenant)
                .setParameter(2, name)
                .setParameter(3, seq)
                .setParameter(4, limit)
                .getResultList();
    }
}
