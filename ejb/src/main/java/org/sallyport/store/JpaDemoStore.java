package org.sallyport.store;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import org.sallyport.demo.DemoStore;
import org.sallyport.tool.Json;

/** What the demo backend remembers, in the database. */
public final class JpaDemoStore implements DemoStore {
    private static final String LEDGER = """
            select l.callId from DemoLedgerRow l where l.tenant = :tenant and l.name = :name order by l.position
            """;

    private static final String OUTBOX = "select m.content from DemoMailRow m where m.tenant = :tenant order by m.id";

    private static final String SENT =
            "select count(m) from DemoMailRow m where m.tenant = :tenant and m.callId = :call";

    private final Database database;

    public JpaDemoStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Json> get(String tenant, String key) {
        return database.read(
                session -> Optional.ofNullable(session.find(DemoValueRow.class, new DemoValueRow.Key(tenant, key)))
                        .map(row -> row.content));
    }

    @Override
    public void put(String tenant, String key, Json value) {
        DemoValueRow row = new DemoValueRow(new DemoValueRow.Key(tenant, key), value);
        database.writeAgainIfDuplicate(session -> session.merge(row));
    }

    @Override
    public long count(String tenant, String name) {
        return database.read(
                session -> Optional.ofNullable(session.find(DemoCountRow.class, new DemoCountRow.Key(tenant, name)))
                        .map(row -> row.total)
                        .orElse(0L));
    }

    @Override
    public long increment(String tenant, String name, long by, String call) {
        DemoCountRow.Key key = new DemoCountRow.Key(tenant, name);
        return database.writeAgainIfDuplicate(session -> {
            DemoCountRow count = locked(session, key);
            DemoLedgerRow.Key entry = new DemoLedgerRow.Key(count, call);
            if (session.find(DemoLedgerRow.class, entry) == null) {
                count.total += by;
                count.calls++;
                session.persist(new DemoLedgerRow(entry, count.calls));
            }
            return count.total;
        });
    }

    /** The count, held until the transaction ends; made if it is the first. */
    private static DemoCountRow locked(EntityManager session, DemoCountRow.Key key) {
        DemoCountRow found = session.find(DemoCountRow.class, key, LockModeType.PESSIMISTIC_WRITE);
        if (found != null) {
            return found;
        }
        DemoCountRow created = new DemoCountRow(key);
        session.persist(created);
        session.flush();
        return created;
    }

    @Override
    public List<String> ledger(String tenant, String name) {
        return database.read(session -> session.createQuery(LEDGER, String.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("name", LosslessText.encode(name))
                .getResultStream()
                .map(LosslessText::decode)
                .toList());
    }

    @Override
    public void send(String tenant, String call, Json mail) {
        database.writeAgainIfDuplicate(session -> {
            boolean sent = session.createQuery(SENT, Long.class)
                            .setParameter("tenant", tenant)
                            .setParameter("call", call)
                            .getSingleResult()
                    > 0;
            if (!sent) {
                session.persist(new DemoMailRow(tenant, call, mail));
            }
            return sent;
        });
    }

    @Override
    public List<Json> outbox(String tenant) {
        return database.read(session -> session.createQuery(OUTBOX, Json.class)
                .setParameter("tenant", tenant)
                .getResultList());
    }
}
