package org.sallyport.store.jpa;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.sallyport.auth.KeyUseStore;

/** Stores in the database when API keys were last used. Thread-safe. */
public final class JpaKeyUseStore implements KeyUseStore {
    private static final String UPDATE_LAST_USED =
            "update api_key set last_used_at = ?2 where id = ?1" + " and (last_used_at is null or last_used_at < ?2)";
    private static final String LIST =
            "select k from ApiKeyEntity k where k.tenant = :tenant and k.lastUsedAt is not null";

    private final Database database;

    public JpaKeyUseStore(Database database) {
        this.database = database;
    }

    @Override
    public void recordUses(Map<String, Instant> uses) {
        // In the same order on all nodes, so that no two transactions deadlock.
        database.write(session -> new TreeMap<>(uses)
                .entrySet().stream()
                        .mapToInt(use -> session.createNativeQuery(UPDATE_LAST_USED)
                                .setParameter(1, LosslessText.encode(use.getKey()))
                                .setParameter(2, JpaScheduleStore.toOffsetDateTime(use.getValue()))
                                .executeUpdate())
                        .sum());
    }

    @Override
    public Map<String, Instant> lastUsedByKey(String tenant) {
        return database.read(tenant, session -> {
            Map<String, Instant> uses = new HashMap<>();
            session.createQuery(LIST, ApiKeyEntity.class)
                    .setParameter("tenant", tenant)
                    .getResultStream()
                    .forEach(row -> uses.put(LosslessText.decode(row.id), row.lastUse()));
            return uses;
        });
    }
}
