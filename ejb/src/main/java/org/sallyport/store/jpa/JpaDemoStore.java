package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.sallyport.demo.DemoStore;
import org.sallyport.tool.Json;

/** Stores the state of the demo backend in the database. Thread-safe. */
public final class JpaDemoStore implements DemoStore {
    private static final String LEDGER = """
            select l.callId from DemoLedgerEntity l where l.tenant = :tenant and l.name = :name
            order by l.tenant, l.name, l.position desc
            """;

    private static final String OUTBOX =
            "select m.content from DemoMailEntity m where m.tenant = :tenant order by m.tenant, m.id desc";

    private static final String SENT =
            "select count(m) from DemoMailEntity m where m.tenant = :tenant and m.callId = :call";

    private final Database database;

    public JpaDemoStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Json> get(String tenant, String key) {
        return database.read(session -> Optional.ofNullable(
                        session.find(DemoValueEntity.class, new DemoValueEntity.DemoValuePrimaryKey(tenant, key)))
                .map(row -> row.content));
    }

    @Override
    public void put(String tenant, String key, Json value) {
        DemoValueEntity row = new DemoValueEntity(new DemoValueEntity.DemoValuePrimaryKey(tenant, key), value);
        database.writeWithDuplicateRetry(session -> session.merge(row));
    }

    @Override
    public long count(String tenant, String name) {
        return database.read(session -> Optional.ofNullable(
                        session.find(DemoCountEntity.class, new DemoCountEntity.DemoCountPrimaryKey(tenant, name)))
                .map(row -> row.total)
                .orElse(0L));
    }

    @Override
    public long increment(String tenant, String name, long by, String call) {
        DemoCountEntity.DemoCountPrimaryKey key = new DemoCountEntity.DemoCountPrimaryKey(tenant, name);
        return database.writeWithDuplicateRetry(session -> {
            DemoCountEntity count = lockOrCreate(session, key);
            DemoLedgerEntity.DemoLedgerPrimaryKey entry = new DemoLedgerEntity.DemoLedgerPrimaryKey(count, call);
            if (session.find(DemoLedgerEntity.class, entry) == null) {
                count.total += by;
                count.calls++;
                session.persist(new DemoLedgerEntity(entry, count.calls));
            }
            return count.total;
        });
    }

    /** Returns the count, locked until the transaction ends. Inserts it if it does not exist. */
    private static DemoCountEntity lockOrCreate(EntityManager session, DemoCountEntity.DemoCountPrimaryKey key) {
        DemoCountEntity found = session.find(DemoCountEntity.class, key, LockModeType.PESSIMISTIC_WRITE);
        if (found != null) {
            return found;
        }
        DemoCountEntity created = new DemoCountEntity(key);
        session.persist(created);
        session.flush();
        return created;
    }

    @Override
    public List<String> ledger(String tenant, String name, int limit) {
        return database.read(session -> reversed(session.createQuery(LEDGER, String.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("name", LosslessText.encode(name))
                .setMaxResults(limit)
                .getResultStream()
                .map(LosslessText::decode)
                .toList()));
    }

    private static <T> List<T> reversed(List<T> newestFirst) {
        List<T> oldestFirst = new ArrayList<>(newestFirst);
        Collections.reverse(oldestFirst);
        return oldestFirst;
    }

    @Override
    public void recordMail(String tenant, String call, Json mail) {
        database.writeWithDuplicateRetry(session -> {
            boolean sent = session.createQuery(SENT, Long.class)
                            .setParameter("tenant", tenant)
                            .setParameter("call", call)
                            .getSingleResult()
                    > 0;
            if (!sent) {
                session.persist(new DemoMailEntity(tenant, call, mail));
            }
            return sent;
        });
    }

    @Override
    public List<Json> outbox(String tenant, int limit) {
        return database.read(session -> reversed(session.createQuery(OUTBOX, Json.class)
                .setParameter("tenant", tenant)
                .setMaxResults(limit)
                .getResultList()));
    }
}
