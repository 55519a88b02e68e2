package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.ExecutionId;
import org.sallyport.script.ScriptDescription;
import org.sallyport.script.ScriptHash;
import org.sallyport.script.ScriptNameRules;

/**
 * Keeps the scripts of executions that complete, within the transaction that ends them: each content of a tenant once, no more than so many,
 * those that were used last. Thread-safe.
 */
final class SavedScriptWriter {
    private static final int MAX_DESCRIPTION_LENGTH = 500;

    private static final String FIND_NAME = "select name from script where tenant = ?1 and hash = ?2";

    /** Not each time: executions of one script that end together would wait for each other's row. */
    private static final String UPDATE_USED = """
            update script set used_at = current_timestamp, last_run = ?3
            where tenant = ?1 and hash = ?2 and used_at < current_timestamp - interval '1' minute
            """;

    private static final String OLDEST = """
            select name from script where tenant = ?1 order by used_at desc, name offset ?2 rows
            """;

    private final int maxPerTenant;

    /** @param most how many scripts of one tenant are kept */
    SavedScriptWriter(int most) {
        this.maxPerTenant = most;
    }

    /** @param name what it is to be called, or {@link CacheOptions#GENERATED_NAME} */
    void save(EntityManager session, ExecutionId id, String name) {
        ExecutionEntity execution = session.find(ExecutionEntity.class, id.value());
        ExecutionInputEntity input = session.find(ExecutionInputEntity.class, id.value());
        if (execution == null || input == null) {
            throw new IllegalStateException("an execution without input ends: " + id);
        }
        String hash = ScriptHash.of(execution.language, input.code);
        if (findName(session, execution.tenant, hash).isPresent()) {
            session.createNativeQuery(UPDATE_USED)
                    .setParameter(1, LosslessText.encode(execution.tenant))
                    .setParameter(2, hash)
                    .setParameter(3, id.toString())
                    .executeUpdate();
            return;
        }
        ScriptEntity row = new ScriptEntity();
        row.tenant = LosslessText.encode(execution.tenant);
        row.hash = hash;
        row.language = execution.language;
        row.code = input.code;
        row.description = ScriptDescription.of(input.code, MAX_DESCRIPTION_LENGTH);
        row.keeper = execution.submitter;
        row.lastRun = id.toString();
        row.name = candidateNames(name, row)
                .filter(each ->
                        session.find(ScriptEntity.class, new ScriptEntity.ScriptPrimaryKey(execution.tenant, each))
                                == null)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("all names of a script are taken: " + hash));
        session.persist(row);
        session.flush();
        deleteOldest(session, row.tenant);
    }

    private static Stream<String> candidateNames(String wanted, ScriptEntity row) {
        return wanted.equals(CacheOptions.GENERATED_NAME)
                ? ScriptNameRules.candidates(ScriptNameRules.baseOf(row.description), row.hash)
                : Stream.concat(Stream.of(wanted), ScriptNameRules.candidates(wanted, row.hash));
    }

    static Optional<String> findName(EntityManager session, String tenant, String hash) {
        return session
                .createNativeQuery(FIND_NAME)
                .setParameter(1, LosslessText.encode(tenant))
                .setParameter(2, hash)
                .getResultList()
                .stream()
                .map(Object::toString)
                .findFirst();
    }

    /** Two that come at one moment may each find room for one: then there is one too many, until the next comes. */
    private void deleteOldest(EntityManager session, String tenant) {
        List<?> oldest = session.createNativeQuery(OLDEST)
                .setParameter(1, tenant)
                .setParameter(2, maxPerTenant)
                .getResultList();
        for (Object name : oldest) {
            session.createNativeQuery("delete from script where tenant = ?1 and name = ?2")
                    .setParameter(1, tenant)
                    .setParameter(2, name)
                    .executeUpdate();
        }
    }
}
