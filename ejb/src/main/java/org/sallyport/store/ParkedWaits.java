package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Parking;
import org.sallyport.execution.PendingJob;

/**
 * What parked executions wait for, other than times and people. A tenant's head is locked while one parks, as it is while one emits: of an event and a
 * wait for it, one sees the other.
 */
final class ParkedWaits {
    private static final String TENANT = "select tenant from execution where id = ?1";
    private static final String THERE =
            "select seq from event where tenant = ?1 and name = ?2 and seq > cast(?3 as bigint) limit 1";
    private static final String ADD = """
            insert into event_wait (execution_id, name, tenant, after_seq)
            select id, ?2, tenant, cast(?3 as bigint) from execution where id = ?1
            """;
    private static final String ADD_NODE = "insert into tool_wait (execution_id, node) values (?1, ?2)";
    private static final String FORGET_EVENTS = "delete from event_wait where execution_id = ?1";
    private static final String FORGET_NODE = "delete from tool_wait where execution_id = ?1";
    private static final String AWAITED = """
            select execution_id from event_wait
            where tenant = ?1 and name = ?2 and after_seq < cast(?3 as bigint) limit ?4
            """;
    private static final String MISSED = """
            select w.execution_id from event_wait w
            where exists (select 1 from event e where e.tenant = w.tenant and e.name = w.name and e.seq > w.after_seq)
            limit ?1
            """;

    private ParkedWaits() {}

    /** Whether one of the events is there; if any is wanted, holds off emitters until the transaction ends. */
    static boolean anyThere(EntityManager session, ExecutionId id, List<Parking.EventWait> events) {
        if (events.isEmpty()) {
            return false;
        }
        Object tenant =
                session.createNativeQuery(TENANT).setParameter(1, id.value()).getSingleResult();
        EventHeadRow.locked(session, (String) tenant);
        return events.stream()
                .anyMatch(event -> !session.createNativeQuery(THERE)
                        .setParameter(1, tenant)
                        .setParameter(2, LosslessText.encode(event.name()))
                        .setParameter(3, event.after())
                        .getResultList()
                        .isEmpty());
    }

    static void add(EntityManager session, ExecutionId id, Parking parking) {
        parking.node()
                .ifPresent(node -> session.createNativeQuery(ADD_NODE)
                        .setParameter(1, id.value())
                        .setParameter(2, node)
                        .executeUpdate());
        for (Parking.EventWait event : parking.events()) {
            session.createNativeQuery(ADD)
                    .setParameter(1, id.value())
                    .setParameter(2, LosslessText.encode(event.name()))
                    .setParameter(3, event.after())
                    .executeUpdate();
        }
    }

    /** It waits no more; whether it waited for answers of tools. */
    static boolean forget(EntityManager session, UUID execution) {
        session.createNativeQuery(FORGET_EVENTS).setParameter(1, execution).executeUpdate();
        return session.createNativeQuery(FORGET_NODE).setParameter(1, execution).executeUpdate() > 0;
    }

    /** Whether a parked execution waits for an event of that name before {@code seq}; both as they are stored. */
    static boolean anyAwaits(EntityManager session, String tenant, String name, long seq) {
        return !awaits(session, tenant, name, seq, 1).isEmpty();
    }

    /** Lets go on who waits for the event of that name and number, {@code limit} at most. */
    static List<PendingJob> wake(EntityManager session, String tenant, String name, long seq, int limit) {
        return Orphans.wakeEach(
                session, awaits(session, LosslessText.encode(tenant), LosslessText.encode(name), seq, limit));
    }

    /** Lets go on whose event is there although nobody has said so. */
    static List<PendingJob> wakeMissed(EntityManager session, int limit) {
        return Orphans.wakeEach(
                session,
                session.createNativeQuery(MISSED).setParameter(1, limit).getResultList());
    }

    private static List<?> awaits(EntityManager session, String tenant, String name, long seq, int limit) {
        return session.createNativeQuery(AWAITED)
                .setParameter(1, tenant)
                .setParameter(2, name)
                .setParameter(3, seq)
                .setParameter(4, limit)
                .getResultList();
    }
}
