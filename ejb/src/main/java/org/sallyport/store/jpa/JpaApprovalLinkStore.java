package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;

/**
 * Stores approval links in the database. A transaction that adds, uses or removes a link locks its approval.
 * Thread-safe.
 */
public final class JpaApprovalLinkStore implements ApprovalLinkStore {
    private static final String COUNT_USABLE =
            "select count(l.id) from ApprovalLinkEntity l where l.approvalId = :approval"
                    + " and l.usedAt is null and l.expiresAt > current_timestamp";
    private static final String COUNT_OF_MAKER = COUNT_USABLE + " and l.maker = :maker";
    private static final String DELETE_EXPIRED = "delete from ApprovalLinkEntity l where l.approvalId = :approval"
            + " and l.usedAt is null and l.expiresAt < :before";
    private static final Duration EXPIRED_RETENTION = Duration.ofDays(1);
    private static final String REMOVE =
            "delete from ApprovalLinkEntity l where l.id = :id and l.approvalId = :approval and l.tenant = :tenant";

    private final Database database;

    public JpaApprovalLinkStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean add(ApprovalLink link, int ofMaker, int maxLinks) {
        return database.write(session -> {
            if (lockApproval(session, link.approval()) == null) {
                return false;
            }
            session.createQuery(DELETE_EXPIRED)
                    .setParameter("approval", link.approval())
                    .setParameter("before", JpaApprovalStore.now(session).minus(EXPIRED_RETENTION))
                    .executeUpdate();
            long all = session.createQuery(COUNT_USABLE, Long.class)
                    .setParameter("approval", link.approval())
                    .getSingleResult();
            long own = session.createQuery(COUNT_OF_MAKER, Long.class)
                    .setParameter("approval", link.approval())
                    .setParameter("maker", link.creator().id())
                    .getSingleResult();
            if (own >= ofMaker || all >= maxLinks) {
                return false;
            }
            session.persist(new ApprovalLinkEntity(link));
            return true;
        });
    }

    @Override
    public Optional<ApprovalLink> find(UUID id) {
        return database.read(session -> Optional.ofNullable(session.find(ApprovalLinkEntity.class, id))
                .map(ApprovalLinkEntity::toApprovalLink));
    }

    @Override
    public boolean remove(String tenant, UUID approval, UUID id) {
        return database.write(
                tenant,
                session -> lockApproval(session, approval) != null
                        && session.createQuery(REMOVE)
                                        .setParameter("id", id)
                                        .setParameter("approval", approval)
                                        .setParameter("tenant", tenant)
                                        .executeUpdate()
                                > 0);
    }

    private static @Nullable ApprovalEntity lockApproval(EntityManager session, UUID approval) {
        return session.find(ApprovalEntity.class, approval, LockModeType.PESSIMISTIC_WRITE);
    }
}
