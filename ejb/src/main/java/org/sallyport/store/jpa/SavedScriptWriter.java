package org.sallyport.store.jpa;

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
 * Saves the scripts of completed executions, within the transaction that ends the execution. Stores each script text of
 * a tenant once, and keeps a limited number of the most recently used scripts. Thread-safe.
 */
final class SavedScriptWriter {
    private static final int MAX_DESCRIPTION_LENGTH = 500;

    private static final String FIND_NAME = "select name from script where tenant = ?1 and hash = ?2";

    /**
     * Updates at most once a minute: otherwise executions of one script that end together would wait for each other's
     * row.
     */
    private static final String UPDATE_USED = """
            update script set used_at = current_timestamp, last_run = ?3
            where tenant = ?1 and hash = ?2 and used_at < current_timestamp - interval '1' minute
            """;

    private static final String OLDEST = """
            select name from script where tenant = ?1 order by used_at desc, name offset ?2 rows
            """;

    private final int maxPerTenant;

    /** @param maxPerTenant maximum number of saved scripts per tenant */
    SavedScriptWriter(int maxPerTenant) {
        this.maxPerTenant = maxPerTenant;
    }

    /**
     * Saves the script of an execution, unless it is saved already, and records its name with the execution.
     *
     * @param name the name of the script, or {@link CacheOptions#GENERATED_NAME}
     */
    void save(EntityManager session, ExecutionId id, String name) {
        ExecutionEntity execution = session.find(ExecutionEntity.class, id.value());
        ExecutionInputEntity input = session.find(ExecutionInputEntity.class, id.value());
        if (execution == null || input == null) {
            throw new IllegalStateException("no input is stored for execution " + id);
        }
        String hash = ScriptHash.of(execution.language, input.code);
        Optional<String> known = findName(session, execution.tenant, hash);
        if (known.isPresent()) {
            SubmissionWriter.recordScript(session, id, known.get());
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
        row.savedBy = execution.submitter;
        row.lastRun = id.toString();
        row.name = candidateNames(name, row)
                .filter(each ->
                        session.find(ScriptEntity.class, new ScriptEntity.ScriptPrimaryKey(execution.tenant, each))
                                == null)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("all names of a script are taken: " + hash));
        session.persist(row);
        session.flush();
        SubmissionWriter.recordScript(session, id, row.name);
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

    /**
     * Two concurrent transactions may each find room for one script. Then there is one script too many until the next
     * script is saved.
     */
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
