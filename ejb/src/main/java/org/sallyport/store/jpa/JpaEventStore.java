package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import jakarta.persistence.TypedQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.sallyport.event.EventStore;
import org.sallyport.event.ExternalEmitResult;
import org.sallyport.event.ExternalEvent;
import org.sallyport.event.PublishedEvent;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;
import org.sallyport.tool.JsonSanitizer;

/**
 * Stores events in the database. A transaction that adds an event locks the tenant's event sequence, so that numbers
 * become visible in their order. Thread-safe.
 */
public final class JpaEventStore implements EventStore {
    private static final String FIND_BY_CALL =
            "select e.seq from EventEntity e where e.executionId = :execution and e.call = :call";
    private static final String FIND_BY_KEY =
            "select e.seq, e.bodyHash, e.name from EventEntity e where e.tenant = :tenant and e.clientKey = :clientKey";
    private static final String INSERT_EXTERNAL =
            "insert into event (tenant, seq, name, data, emitted_by) values (?1, ?2, ?3, ?4, ?5)";
    private static final String INSERT_EXTERNAL_WITH_KEY = """
            insert into event (tenant, seq, name, data, emitted_by, client_key, body_hash)
            values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """;
    private static final String FIRST_AFTER = """
            select e.seq, e.name, e.data, e.at, e.emittedBy from EventEntity e where e.tenant = :tenant \
            and e.name in :names and e.seq > :after order by e.tenant, e.seq
            """;
    private static final String FIRST_OF_ANY_NAME = """
            select e.seq, e.name, e.data, e.at, e.emittedBy from EventEntity e where e.tenant = :tenant \
            and e.seq > :after order by e.tenant, e.seq
            """;
    private static final String FIRST_SEQ =
            "select e.seq from EventEntity e where e.tenant = :tenant and e.seq > :after order by e.tenant, e.seq";
    private static final String TENANTS_WITH_EXPIRED = """
            select distinct expired.tenant from (
                select tenant from event
                where at < current_timestamp - cast(?1 as bigint) * interval '0.001' second
                order by at limit ?2) expired
            """;
    /** Deletes the events below a number and below the first event that has not expired. */
    private static final String PURGE = """
            delete from event where tenant = ?1 and seq < ?2 and seq < coalesce((
                select min(kept.seq) from event kept
                where kept.tenant = ?3 and kept.seq < ?4
                and kept.at >= current_timestamp - cast(?5 as bigint) * interval '0.001' second), cast(?6 as bigint))
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
        return Optional.of(new EmittedEvent(seq, isAwaited(session, tenant, name, seq)));
    }

    private static boolean isAwaited(EntityManager session, String tenant, String name, long seq) {
        return WaitRegistrations.isAwaited(session, LosslessText.encode(tenant), LosslessText.encode(name), seq);
    }

    @Override
    public ExternalEmitResult emitExternal(String tenant, ExternalEvent event) {
        database.requireDiskSpace();
        return database.writeWithDuplicateRetry(tenant, session -> {
            // The lock makes concurrent requests with one key wait for each other.
            EventSequenceEntity head = EventSequenceEntity.lockOrCreate(session, LosslessText.encode(tenant));
            IdempotencyKey key = event.idempotency().orElse(null);
            if (key != null) {
                List<Object[]> earlier = session.createQuery(FIND_BY_KEY, Object[].class)
                        .setParameter("tenant", head.tenant)
                        .setParameter("clientKey", key.key())
                        .getResultList();
                if (!earlier.isEmpty()) {
                    long seq = (Long) earlier.get(0)[0];
                    String name = LosslessText.decode((String) earlier.get(0)[2]);
                    return key.bodyHash().equals(earlier.get(0)[1])
                            ? new ExternalEmitResult.ExternalEventStored(
                                    seq, name, isAwaited(session, tenant, name, seq), true)
                            : new ExternalEmitResult.EventKeyConflict();
                }
            }
            head.lastSeq++;
            insert(session, head, event, key);
            return new ExternalEmitResult.ExternalEventStored(
                    head.lastSeq, event.name(), isAwaited(session, tenant, event.name(), head.lastSeq), false);
        });
    }

    /** A native statement, because EclipseLink cannot bind the null UUID of an event without an execution. */
    private static void insert(
            EntityManager session, EventSequenceEntity head, ExternalEvent event, @Nullable IdempotencyKey key) {
        Query insert = session.createNativeQuery(key == null ? INSERT_EXTERNAL : INSERT_EXTERNAL_WITH_KEY)
                .setParameter(1, head.tenant)
                .setParameter(2, head.lastSeq)
                .setParameter(3, LosslessText.encode(event.name()))
                .setParameter(4, JsonSanitizer.sanitize(event.data().text()))
                .setParameter(5, LosslessText.encode(event.emittedBy()));
        if (key != null) {
            insert.setParameter(6, key.key()).setParameter(7, key.bodyHash());
        }
        insert.executeUpdate();
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
        return database.read(session -> findFirst(session, tenant, names, after).map(PublishedEvent::event));
    }

    @Override
    public Optional<PublishedEvent> findNext(String tenant, Collection<String> names, long after) {
        return database.read(tenant, session -> findFirst(session, tenant, names, after));
    }

    private static Optional<PublishedEvent> findFirst(
            EntityManager session, String tenant, Collection<String> names, long after) {
        TypedQuery<Object[]> query = session.createQuery(
                        names.isEmpty() ? FIRST_OF_ANY_NAME : FIRST_AFTER, Object[].class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("after", after)
                .setMaxResults(1);
        if (!names.isEmpty()) {
            query.setParameter("names", names.stream().map(LosslessText::encode).toList());
        }
        return query.getResultStream()
                .findFirst()
                .map(row -> new PublishedEvent(
                        new ScriptEvent((Long) row[0], LosslessText.decode((String) row[1]), (Json) row[2]),
                        (Instant) row[3],
                        Optional.ofNullable((String) row[4])));
    }

    @Override
    public OptionalLong firstSeqAfter(String tenant, long after) {
        return database.read(tenant, session -> firstSeqAfter(session, LosslessText.encode(tenant), after));
    }

    private static OptionalLong firstSeqAfter(EntityManager session, String encodedTenant, long after) {
        return session.createQuery(FIRST_SEQ, Long.class)
                .setParameter("tenant", encodedTenant)
                .setParameter("after", after)
                .setMaxResults(1)
                .getResultStream()
                .mapToLong(Long::longValue)
                .findFirst();
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
        return database.write(session -> {
            List<?> tenants = session.createNativeQuery(TENANTS_WITH_EXPIRED)
                    .setParameter(1, age.toMillis())
                    .setParameter(2, limit)
                    .getResultList();
            int deleted = 0;
            for (Object tenant : tenants) {
                deleted += deleted < limit ? purge(session, (String) tenant, age, limit - deleted) : 0;
            }
            return deleted;
        });
    }

    /**
     * Deletes expired events of a tenant in the order of their numbers, so that the first stored number shows what was
     * deleted. Their times do not have this order exactly: a transaction that waited for the sequence began before.
     *
     * @param tenant in the encoding of {@link LosslessText}
     */
    private static int purge(EntityManager session, String tenant, Duration age, int limit) {
        OptionalLong first = firstSeqAfter(session, tenant, 0);
        if (first.isEmpty()) {
            return 0;
        }
        long end = first.getAsLong() + limit;
        return session.createNativeQuery(PURGE)
                .setParameter(1, tenant)
                .setParameter(2, end)
                .setParameter(3, tenant)
                .setParameter(4, end)
                .setParameter(5, age.toMillis())
                .setParameter(6, end)
                .executeUpdate();
    }
}
