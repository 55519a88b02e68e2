package org.sallyport.store;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;

/** Links in the database. Whoever adds, uses or removes one holds its approval. */
public final class JpaApprovalLinkStore implements ApprovalLinkStore {
    private static final String COUNTING = "select count(l.id) from ApprovalLinkRow l where l.approvalId = :approval"
            + " and l.usedAt is null and l.expiresAt > current_timestamp";
    private static final String OF_MAKER = COUNTING + " and l.maker = :maker";
    private static final String FORGET = "delete from ApprovalLinkRow l where l.approvalId = :approval"
            + " and l.usedAt is null and l.expiresAt < :before";
    private static final Duration REMEMBERED = Duration.ofDays(1);
    private static final String REMOVE =
            "delete from ApprovalLinkRow l where l.id = :id and l.approvalId = :approval and l.tenant = :tenant";

    private final Database database;

    public JpaApprovalLinkStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean add(ApprovalLink link, int ofMaker, int most) {
        return database.write(session -> {
            if (hold(session, link.approval()) == null) {
                return false;
            }
            session.createQuery(FORGET)
                    .setParameter("approval", link.approval())
                    .setParameter("before", JpaApprovalStore.now(session).minus(REMEMBERED))
                    .executeUpdate();
            long all = session.createQuery(COUNTING, Long.class)
                    .setParameter("approval", link.approval())
                    .getSingleResult();
            long own = session.createQuery(OF_MAKER, Long.class)
                    .setParameter("approval", link.approval())
                    .setParameter("maker", link.maker().id())
                    .getSingleResult();
            if (own >= ofMaker || all >= most) {
                return false;
            }
            session.persist(new ApprovalLinkRow(link));
            return true;
        });
    }

    @Override
    public Optional<ApprovalLink> find(UUID id) {
        return database.read(session ->
                Optional.ofNullable(session.find(ApprovalLinkRow.class, id)).map(ApprovalLinkRow::link));
    }

    @Override
    public boolean remove(String tenant, UUID approval, UUID id) {
        return database.write(
                tenant,
                session -> hold(session, approval) != null
                        && session.createQuery(REMOVE)
                                        .setParameter("id", id)
                                        .setParameter("approval", approval)
                                        .setParameter("tenant", tenant)
                                        .executeUpdate()
                                > 0);
    }

    private static @Nullable ApprovalRow hold(EntityManager session, UUID approval) {
        return session.find(ApprovalRow.class, approval, LockModeType.PESSIMISTIC_WRITE);
    }
}
