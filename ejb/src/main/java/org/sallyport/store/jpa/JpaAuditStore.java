package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.TypedQuery;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditFilter;
import org.sallyport.audit.AuditResult;
import org.sallyport.audit.AuditStore;
import org.sallyport.audit.RecordedAuditEntry;
import org.sallyport.execution.ExecutionId;

/** Stores the audit log in the database. No statement changes a row. Thread-safe. */
public final class JpaAuditStore implements AuditStore {
    private static final UUID MAX_ID = new UUID(-1, -1);

    private static final String ENTRIES = """
            select e, r from AuditEntryEntity e left join AuditResultEntity r on r.entryId = e.id and r.tenant = \
            e.tenant
            where e.tenant = :tenant and e.id < :end""";
    private static final String BY_RESULT_OBJECT = """
            select e, r from AuditResultEntity r join AuditEntryEntity e on e.id = r.entryId and e.tenant = r.tenant
            where r.tenant = :tenant and r.entryId < :end and r.object = :object""";

    /**
     * Selects expired entries, whose results are deleted first. For {@link Database#withSkipLocked}: entries that
     * another node is deleting are not waited for.
     */
    private static final String SELECT_EXPIRED = """
            select tenant, id from audit_entry
            where at <= current_timestamp - cast(?1 as bigint) * interval '0.001' second
            order by at limit ?2""";

    private final Database database;

    public JpaAuditStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(AuditEntry entry) {
        database.write(session -> {
            session.persist(new AuditEntryEntity(entry));
            return true;
        });
    }

    @Override
    public void add(AuditEntry entry, AuditResult result) {
        database.write(session -> add(session, entry, result));
    }

    /**
     * Adds an entry and its result for an action of the same transaction: the entry is stored if and only if the action
     * commits.
     */
    static void addDone(EntityManager session, AuditEntry entry) {
        add(session, entry, new AuditResult(AuditResult.AuditOutcome.DONE, 0, "", ""));
    }

    private static boolean add(EntityManager session, AuditEntry entry, AuditResult result) {
        session.persist(new AuditEntryEntity(entry));
        session.flush();
        session.persist(new AuditResultEntity(entry.tenant(), entry.id(), result));
        return true;
    }

    @Override
    public void add(String tenant, UUID entry, AuditResult result) {
        database.write(tenant, session -> {
            session.persist(new AuditResultEntity(tenant, entry, result));
            return true;
        });
    }

    @Override
    public List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
        UUID end = before.orElse(MAX_ID);
        return database.read(tenant, session -> {
            Stream<RecordedAuditEntry> found = read(session, ENTRIES, "e.object", tenant, filter, end, limit);
            if (filter.object().filter(object -> !object.isEmpty()).isEmpty()) {
                return found.toList();
            }
            return Stream.concat(found, read(session, BY_RESULT_OBJECT, null, tenant, filter, end, limit))
                    .distinct()
                    .sorted(Comparator.comparing((RecordedAuditEntry record) ->
                                    new ExecutionId(record.entry().id()))
                            .reversed())
                    .limit(limit)
                    .toList();
        });
    }

    private static Stream<RecordedAuditEntry> read(
            EntityManager session,
            String from,
            @Nullable String object,
            String tenant,
            AuditFilter filter,
            UUID end,
            int limit) {
        StringBuilder text = new StringBuilder(from);
        filter.actor().ifPresent(actor -> text.append(" and e.actor = :actor"));
        filter.action().ifPresent(action -> text.append(" and e.action = :action"));
        if (object != null && filter.object().isPresent()) {
            text.append(" and ").append(object).append(" = :object");
        }
        filter.since().ifPresent(since -> text.append(" and e.at >= :since"));
        TypedQuery<Object[]> query = session.createQuery(text + orderBy(filter, object), Object[].class)
                .setParameter("tenant", tenant)
                .setParameter("end", end)
                .setMaxResults(limit);
        filter.actor().ifPresent(actor -> query.setParameter("actor", actor));
        filter.action().ifPresent(action -> query.setParameter("action", action));
        filter.object().ifPresent(wanted -> query.setParameter("object", wanted));
        filter.since().ifPresent(since -> query.setParameter("since", since));
        return query.getResultStream().map(JpaAuditStore::toRecordedEntry);
    }

    /** Returns the order of a matching index: otherwise H2 sorts all rows of the tenant. */
    private static String orderBy(AuditFilter filter, @Nullable String object) {
        if (object == null) {
            return " order by r.tenant, r.object, r.entryId desc";
        } else if (filter.actor().isPresent()) {
            return " order by e.tenant, e.actor, e.id desc";
        } else if (filter.action().isPresent()) {
            return " order by e.tenant, e.action, e.id desc";
        } else if (filter.object().isPresent()) {
            return " order by e.tenant, e.object, e.id desc";
        }
        return " order by e.tenant, e.id desc";
    }

    private static RecordedAuditEntry toRecordedEntry(@Nullable Object[] columns) {
        AuditEntryEntity entry = (AuditEntryEntity) java.util.Objects.requireNonNull(columns[0]);
        return new RecordedAuditEntry(
                entry.toAuditEntry(),
                entry.at,
                Optional.ofNullable((AuditResultEntity) columns[1]).map(AuditResultEntity::toAuditResult));
    }

    @Override
    @SuppressWarnings("unchecked")
    public int purge(Duration age, int limit) {
        return database.writeSerially(session -> {
            List<Object[]> old = session.createNativeQuery(database.withSkipLocked(SELECT_EXPIRED))
                    .setParameter(1, age.toMillis())
                    .setParameter(2, limit)
                    .getResultList();
            for (Object[] row : old) {
                delete(session, "delete from audit_result where tenant = ?1 and entry_id = ?2", row);
                delete(session, "delete from audit_entry where tenant = ?1 and id = ?2", row);
            }
            return old.size();
        });
    }

    private static void delete(EntityManager session, String statement, Object[] row) {
        session.createNativeQuery(statement)
                .setParameter(1, row[0])
                .setParameter(2, row[1])
                .executeUpdate();
    }
}
