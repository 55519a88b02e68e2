package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Reuse;
import org.sallyport.script.LeadingComment;
import org.sallyport.script.ScriptHash;
import org.sallyport.script.ScriptNames;

/**
 * Keeps the scripts of executions that complete, within the transaction that ends them: each content of a tenant once, no more than so many,
 * those that were used last. Thread-safe.
 */
final class KeptScripts {
    private static final int LONGEST_DESCRIPTION = 500;

    private static final String NAME = "select name from script where tenant = ?1 and hash = ?2";

    /** Not each time: executions of one script that end together would wait for each other's row. */
    private static final String SEEN = """
            update script set used_at = current_timestamp, last_run = ?3
            where tenant = ?1 and hash = ?2 and used_at < current_timestamp - interval '1' minute
            """;

    private static final String OLDEST = """
            select name from script where tenant = ?1 order by used_at desc, name offset ?2 rows
            """;

    private final int most;

    /** @param most how many scripts of one tenant are kept */
    KeptScripts(int most) {
        this.most = most;
    }

    /** @param name what it is to be called, or {@link Reuse#ANY_NAME} */
    void keep(EntityManager session, ExecutionId id, String name) {
        ExecutionRow execution = session.find(ExecutionRow.class, id.value());
        InputRow input = session.find(InputRow.class, id.value());
        if (execution == null || input == null) {
            throw new IllegalStateException("an execution without input ends: " + id);
        }
        String hash = ScriptHash.of(execution.language, input.code);
        if (name(session, execution.tenant, hash).isPresent()) {
            session.createNativeQuery(SEEN)
                    .setParameter(1, LosslessText.encode(execution.tenant))
                    .setParameter(2, hash)
                    .setParameter(3, id.toString())
                    .executeUpdate();
            return;
        }
        ScriptRow row = new ScriptRow();
        row.tenant = LosslessText.encode(execution.tenant);
        row.hash = hash;
        row.language = execution.language;
        row.code = input.code;
        row.description = LeadingComment.of(input.code, LONGEST_DESCRIPTION);
        row.keeper = execution.submitter;
        row.lastRun = id.toString();
        row.name = names(name, row)
                .filter(each -> session.find(ScriptRow.class, new ScriptRow.Key(execution.tenant, each)) == null)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("all names of a script are taken: " + hash));
        session.persist(row);
        session.flush();
        makeRoom(session, row.tenant);
    }

    private static Stream<String> names(String wanted, ScriptRow row) {
        return wanted.equals(Reuse.ANY_NAME)
                ? ScriptNames.of(ScriptNames.base(row.description), row.hash)
                : Stream.concat(Stream.of(wanted), ScriptNames.of(wanted, row.hash));
    }

    static Optional<String> name(EntityManager session, String tenant, String hash) {
        return session
                .createNativeQuery(NAME)
                .setParameter(1, LosslessText.encode(tenant))
                .setParameter(2, hash)
                .getResultList()
                .stream()
                .map(Object::toString)
                .findFirst();
    }

    /** Two that come at one moment may each find room for one: then there is one too many, until the next comes. */
    private void makeRoom(EntityManager session, String tenant) {
        List<?> oldest = session.createNativeQuery(OLDEST)
                .setParameter(1, tenant)
                .setParameter(2, most)
                .getResultList();
        for (Object name : oldest) {
            session.createNativeQuery("delete from script where tenant = ?1 and name = ?2")
                    .setParameter(1, tenant)
                    .setParameter(2, name)
                    .executeUpdate();
        }
    }
}
