package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.ExternalSubject;

/** Stores blocked subjects in the database. Thread-safe. */
public final class JpaBlockedSubjectStore implements BlockedSubjectStore {
    private static final UUID MAX_ID = new UUID(-1, -1);
    private static final String FIND =
            "select b from BlockedSubjectEntity b where b.tenant = :tenant and b.issuer = :issuer and b.subject = "
                    + ":subject";
    private static final String COUNT = FIND.replace("select b ", "select count(b) ");
    private static final String PAGE = "select b from BlockedSubjectEntity b where b.tenant = :tenant and b.id < :end"
            + " order by b.tenant, b.id desc";

    private final Database database;

    public JpaBlockedSubjectStore(Database database) {
        this.database = database;
    }

    @Override
    public BlockedSubject add(BlockedSubject blocked) {
        return database.writeWithDuplicateRetry(session -> {
            Optional<BlockedSubject> known = session.createQuery(FIND, BlockedSubjectEntity.class)
                    .setParameter("tenant", blocked.tenant())
                    .setParameter("issuer", blocked.subject().issuer())
                    .setParameter("subject", blocked.subject().name())
                    .getResultStream()
                    .findFirst()
                    .map(BlockedSubjectEntity::toBlockedSubject);
            if (known.isEmpty()) {
                session.persist(new BlockedSubjectEntity(blocked));
            }
            return known.orElse(blocked);
        });
    }

    @Override
    public boolean contains(String tenant, ExternalSubject subject) {
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
            Optional<BlockedSubjectEntity> row = findRow(session, tenant, id);
            row.ifPresent(session::remove);
            return row.map(BlockedSubjectEntity::toBlockedSubject);
        });
    }

    private static Optional<BlockedSubjectEntity> findRow(EntityManager session, String tenant, UUID id) {
        return Optional.ofNullable(session.find(BlockedSubjectEntity.class, id))
                .filter(row -> row.tenant.equals(tenant));
    }

    @Override
    public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(PAGE, BlockedSubjectEntity.class)
                        .setParameter("tenant", tenant)
                        .setParameter("end", before.orElse(MAX_ID))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(BlockedSubjectEntity::toBlockedSubject)
                        .toList());
    }
}
