package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.sallyport.event.EventStore;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.Json;

/**
 * Stores events in the database. A transaction that adds an event locks the tenant's event sequence, so that numbers
 * become visible in their order. Thread-safe.
 */
public final class JpaEventStore implements EventStore {
    private static final String FIND_BY_CALL =
            "select e.seq from EventEntity e where e.executionId = :execution and e.call = :call";
    private static final String FIRST_AFTER = """
            select e from EventEntity e where e.tenant = :tenant and e.name in :names and e.seq > :after order by \
            e.tenant, e.seq
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
    public Optional<EmittedEvent> emit(String tenant, FencingToken fence, long call, String name, Json data) {
        return database.writeWithDuplicateRetry(session -> {
            if (!FencingCheck.isOwner(session, fence)) {
                return Optional.empty();
            }
            List<Long> before = session.createQuery(FIND_BY_CALL, Long.class)
                    .setParameter("execution", fence.id().value())
                    .setParameter("call", call)
                    .getResultList();
            if (!before.isEmpty()) {
                return emitted(session, tenant, name, before.get(0));
            }
            EventSequenceEntity head = EventSequenceEntity.lockOrCreate(session, LosslessText.encode(tenant));
            head.lastSeq++;
            session.persist(new EventEntity(head, name, data, fence.id().value(), call));
            return emitted(session, tenant, name, head.lastSeq);
        });
    }

    private static Optional<EmittedEvent> emitted(EntityManager session, String tenant, String name, long seq) {
        return Optional.of(new EmittedEvent(
                seq,
                WaitRegistrations.isAwaited(session, LosslessText.encode(tenant), LosslessText.encode(name), seq)));
    }

    @Override
    public List<ExecutionJob> resumeParked(String tenant, String name, long seq, int limit) {
        return database.write(session -> WaitRegistrations.resumeWaiting(session, tenant, name, seq, limit));
    }

    @Override
    public List<ExecutionJob> resumeMissed(int limit) {
        return database.write(session -> WaitRegistrations.resumeMissed(session, limit));
    }

    @Override
    public Optional<ScriptEvent> findFirstAfter(String tenant, Collection<String> names, long after) {
        return database.read(session -> session.createQuery(FIRST_AFTER, EventEntity.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("names", names.stream().map(LosslessText::encode).toList())
                .setParameter("after", after)
                .setMaxResults(1)
                .getResultStream()
                .findFirst()
                .map(row -> new ScriptEvent(row.seq, LosslessText.decode(row.name), row.data)));
    }

    @Override
    public long lastSeq(String tenant) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(session.find(EventSequenceEntity.class, LosslessText.encode(tenant)))
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
