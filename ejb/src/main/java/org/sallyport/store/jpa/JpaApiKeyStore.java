package org.sallyport.store.jpa;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyStore;

/** Stores API keys in the database. Thread-safe. */
public final class JpaApiKeyStore implements ApiKeyStore {
    private static final String GRANT =
            "update ApiKeyEntity k set k.grants = :grants where k.id = :id and k.tenant = :tenant";
    private static final String REMOVE = "delete from ApiKeyEntity k where k.id = :id and k.tenant = :tenant";
    private static final String LIST = "select k from ApiKeyEntity k where k.tenant = :tenant";

    private final Database database;

    public JpaApiKeyStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<ApiKey> find(String id) {
        return database.read(session -> Optional.ofNullable(session.find(ApiKeyEntity.class, LosslessText.encode(id)))
                .map(ApiKeyEntity::toApiKey));
    }

    @Override
    public void put(ApiKey key) {
        database.writeWithDuplicateRetry(session -> session.merge(new ApiKeyEntity(key)));
    }

    @Override
    public boolean replaceGrants(String tenant, String id, List<String> grants) {
        return database.write(session -> session.createQuery(GRANT)
                        .setParameter("grants", JsonColumnCodec.ofList(grants))
                        .setParameter("id", LosslessText.encode(id))
                        .setParameter("tenant", tenant)
                        .executeUpdate()
                == 1);
    }

    @Override
    public boolean remove(String tenant, String id) {
        return database.write(
                tenant,
                session -> session.createQuery(REMOVE)
                                .setParameter("id", LosslessText.encode(id))
                                .setParameter("tenant", tenant)
                                .executeUpdate()
                        == 1);
    }

    @Override
    public List<ApiKey> list(String tenant) {
        // Sorted here, because databases order texts differently.
        return database.read(
                tenant,
                session -> session.createQuery(LIST, ApiKeyEntity.class)
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .map(ApiKeyEntity::toApiKey)
                        .sorted(Comparator.comparing(ApiKey::id))
                        .toList());
    }
}
