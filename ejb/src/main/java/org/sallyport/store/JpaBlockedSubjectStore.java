package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.access.BlockedSubject;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.Subject;

/** Blocked subjects in the database. */
public final class JpaBlockedSubjectStore implements BlockedSubjectStore {
    private static final UUID LARGEST = new UUID(-1, -1);
    private static final String ONE =
            "select b from BlockedSubjectRow b where b.tenant = :tenant and b.issuer = :issuer and b.subject = :subject";
    private static final String COUNT = ONE.replace("select b ", "select count(b) ");
    private static final String PAGE =
            "select b from BlockedSubjectRow b where b.tenant = :tenant and b.id < :end order by b.tenant, b.id desc";

    private final Database database;

    public JpaBlockedSubjectStore(Database database) {
        this.database = database;
    }

    @Override
    public BlockedSubject add(BlockedSubject blocked) {
        return database.writeAgainIfDuplicate(session -> {
            Optional<BlockedSubject> known = session.createQuery(ONE, BlockedSubjectRow.class)
                    .setParameter("tenant", blocked.tenant())
                    .setParameter("issuer", blocked.subject().issuer())
                    .setParameter("subject", blocked.subject().name())
                    .getResultStream()
                    .findFirst()
                    .map(BlockedSubjectRow::blocked);
            if (known.isEmpty()) {
                session.persist(new BlockedSubjectRow(blocked));
            }
            return known.orElse(blocked);
        });
    }

    @Override
    public boolean contains(String tenant, Subject subject) {
        return database.read(session -> session.createQuery(COUNT, Long.class)
                        .setParameter("tenant", tenant)
                        .setParameter("issuer", subject.issuer())
                        .setParameter("subject", subject.name())
                        .getSingleResult()
                > 0);
    }

    @Override
    public Optional<BlockedSubject> remove(String tenant, UUID id) {
        return database.write(tenant, session -> {
            Optional<BlockedSubjectRow> row = row(session, tenant, id);
            row.ifPresent(session::remove);
            return row.map(BlockedSubjectRow::blocked);
        });
    }

    private static Optional<BlockedSubjectRow> row(EntityManager session, String tenant, UUID id) {
        return Optional.ofNullable(session.find(BlockedSubjectRow.class, id)).filter(row -> row.tenant.equals(tenant));
    }

    @Override
    public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(PAGE, BlockedSubjectRow.class)
                        .setParameter("tenant", tenant)
                        .setParameter("end", before.orElse(LARGEST))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(BlockedSubjectRow::blocked)
                        .toList());
    }
}
