package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.sallyport.event.Event;
import org.sallyport.event.EventStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.PendingJob;
import org.sallyport.tool.Json;

/** Events in the database. A tenant's head is locked while one is added: numbers become visible in their order. */
public final class JpaEventStore implements EventStore {
    private static final String OF_CALL =
            "select e.seq from EventRow e where e.executionId = :execution and e.call = :call";
    private static final String FIRST_AFTER = """
            select e from EventRow e where e.tenant = :tenant and e.name in :names and e.seq > :after order by e.tenant, e.seq
            """;
    private static final String PURGE = """
            delete from event where (tenant, seq) in (
                select tenant, seq from event
                where at < current_timestamp - cast(?1 as bigint) * interval '0.001' second limit ?2)
            """;

    private final Database database;

    public JpaEventStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Emitted> emit(String tenant, Fence fence, long call, String name, Json data) {
        return database.writeAgainIfDuplicate(session -> {
            if (!Fences.holds(session, fence)) {
                return Optional.empty();
            }
            List<Long> before = session.createQuery(OF_CALL, Long.class)
                    .setParameter("execution", fence.id().value())
                    .setParameter("call", call)
                    .getResultList();
            if (!before.isEmpty()) {
                return emitted(session, tenant, name, before.get(0));
            }
            EventHeadRow head = EventHeadRow.locked(session, LosslessText.encode(tenant));
            head.lastSeq++;
            session.persist(new EventRow(head, name, data, fence.id().value(), call));
            return emitted(session, tenant, name, head.lastSeq);
        });
    }

    private static Optional<Emitted> emitted(EntityManager session, String tenant, String name, long seq) {
        return Optional.of(new Emitted(
                seq, ParkedWaits.anyAwaits(session, LosslessText.encode(tenant), LosslessText.encode(name), seq)));
    }

    @Override
    public List<PendingJob> wake(String tenant, String name, long seq, int limit) {
        return database.write(session -> ParkedWaits.wake(session, tenant, name, seq, limit));
    }

    @Override
    public List<PendingJob> wakeMissed(int limit) {
        return database.write(session -> ParkedWaits.wakeMissed(session, limit));
    }

    @Override
    public Optional<Event> firstAfter(String tenant, Collection<String> names, long after) {
        return database.read(session -> session.createQuery(FIRST_AFTER, EventRow.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("names", names.stream().map(LosslessText::encode).toList())
                .setParameter("after", after)
                .setMaxResults(1)
                .getResultStream()
                .findFirst()
                .map(row -> new Event(row.seq, LosslessText.decode(row.name), row.data)));
    }

    @Override
    public long last(String tenant) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(session.find(EventHeadRow.class, LosslessText.encode(tenant)))
                        .map(head -> head.lastSeq)
                        .orElse(0L));
    }

    @Override
    public int purge(Duration age, int limit) {
        return database.write(session -> session.createNativeQuery(PURGE)
                .setParameter(1, age.toMillis())
                .setParameter(2, limit)
                .executeUpdate());
    }
}
