package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;

/** Stores policies in the database. Thread-safe. */
public final class JpaPolicyStore implements PolicyStore {
    private static final String NEWEST =
            "select p from PolicyEntity p where p.tenant = :tenant order by p.version desc";

    private final Database database;

    public JpaPolicyStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<PolicyVersion> findNewest(String tenant) {
        return database.read(tenant, session -> findNewest(session, tenant));
    }

    @Override
    public Optional<PolicyVersion> find(String tenant, long version) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(
                                session.find(PolicyEntity.class, new PolicyEntity.PolicyPrimaryKey(tenant, version)))
                        .map(PolicyEntity::toPolicyVersion));
    }

    private static Optional<PolicyVersion> findNewest(EntityManager session, String tenant) {
        return session.createQuery(NEWEST, PolicyEntity.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setMaxResults(1)
                .getResultStream()
                .findFirst()
                .map(PolicyEntity::toPolicyVersion);
    }

    @Override
    public OptionalLong add(String tenant, long expected, Json document, String comment, String author) {
        // Two transactions that add the same version collide at the primary key; the retry of the second one finds the
        // row of the first.
        return database.writeWithDuplicateRetry(tenant, session -> {
            long present =
                    findNewest(session, tenant).map(PolicyVersion::version).orElse(0L);
            if (present != expected) {
                return OptionalLong.empty();
            }
            session.persist(new PolicyEntity(tenant, present + 1, document, comment, author));
            return OptionalLong.of(present + 1);
        });
    }
}
