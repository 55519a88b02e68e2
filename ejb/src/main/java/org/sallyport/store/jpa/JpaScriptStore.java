package org.sallyport.store.jpa;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.script.SavedScript;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;

/** Stores saved scripts in the database. Thread-safe. */
public final class JpaScriptStore implements ScriptStore {
    private static final String LIST = """
            select s.name, s.language, s.hash, s.description, s.savedBy, s.lastRun, s.savedAt, s.usedAt from \
            ScriptEntity s
            where s.tenant = :tenant and s.name > :after
                and (:search = '' or locate(:search, s.name) > 0 or locate(:search, lower(s.description)) > 0)
            order by s.tenant, s.name
            """;

    private static final String USED = """
            update script set used_at = current_timestamp
            where tenant = ?1 and name = ?2 and used_at < current_timestamp - interval '1' minute
            """;

    private final Database database;

    public JpaScriptStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<SavedScript> find(String tenant, String name) {
        return database.read(
                        tenant,
                        session -> Optional.ofNullable(
                                session.find(ScriptEntity.class, new ScriptEntity.ScriptPrimaryKey(tenant, name))))
                .map(ScriptEntity::toSavedScript);
    }

    @Override
    public Optional<String> findNameByHash(String tenant, String hash) {
        return database.read(tenant, session -> SavedScriptWriter.findName(session, tenant, hash));
    }

    @Override
    public List<ScriptSummary> list(String tenant, String search, String after, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(LIST, Object[].class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("after", LosslessText.encode(after))
                        .setParameter("search", LosslessText.encode(search.toLowerCase(Locale.ROOT)))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(JpaScriptStore::toSummary)
                        .toList());
    }

    private static ScriptSummary toSummary(@Nullable Object[] columns) {
        return new ScriptSummary(
                text(columns[0]),
                (ScriptLanguage) Objects.requireNonNull(columns[1]),
                text(columns[2]),
                text(columns[3]),
                text(columns[4]),
                ExecutionId.parse(text(columns[5])).orElseThrow(),
                (Instant) Objects.requireNonNull(columns[6]),
                (Instant) Objects.requireNonNull(columns[7]));
    }

    private static String text(@Nullable Object column) {
        return (String) Objects.requireNonNull(column);
    }

    @Override
    public void markUsed(String tenant, String name) {
        database.write(session -> session.createNativeQuery(USED)
                .setParameter(1, LosslessText.encode(tenant))
                .setParameter(2, LosslessText.encode(name))
                .executeUpdate());
    }

    @Override
    public boolean delete(String tenant, String name) {
        return database.write(
                tenant,
                session -> session.createNativeQuery("delete from script where tenant = ?1 and name = ?2")
                                .setParameter(1, LosslessText.encode(tenant))
                                .setParameter(2, LosslessText.encode(name))
                                .executeUpdate()
                        == 1);
    }

    @Override
    public int deleteAll(String tenant) {
        return database.write(
                tenant,
                session -> session.createNativeQuery("delete from script where tenant = ?1")
                        .setParameter(1, LosslessText.encode(tenant))
                        .executeUpdate());
    }
}
