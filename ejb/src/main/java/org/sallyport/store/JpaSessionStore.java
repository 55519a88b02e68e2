package org.sallyport.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.access.SessionStore;

/** Sessions in the database. */
public final class JpaSessionStore implements SessionStore {
    private static final String REMOVE = "delete from SessionRow s where s.hash = :hash";
    private static final String OF_KEY =
            "select s.hash from SessionRow s where s.keyId = :key order by s.expiresAt desc, s.hash";
    private static final String REMOVE_EXPIRED = "delete from SessionRow s where s.expiresAt < :now";

    private final Database database;

    public JpaSessionStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(Stored session) {
        database.write(unit -> {
            unit.persist(new SessionRow(session));
            return true;
        });
    }

    @Override
    public Optional<Stored> find(String hash) {
        return database.read(
                unit -> Optional.ofNullable(unit.find(SessionRow.class, hash)).map(SessionRow::session));
    }

    @Override
    public void remove(String hash) {
        database.write(
                unit -> unit.createQuery(REMOVE).setParameter("hash", hash).executeUpdate());
    }

    @Override
    public void keep(String keyId, int most) {
        database.write(unit -> {
            List<String> tooMany = unit.createQuery(OF_KEY, String.class)
                    .setParameter("key", keyId)
                    .setFirstResult(most)
                    .getResultList();
            tooMany.forEach(
                    hash -> unit.createQuery(REMOVE).setParameter("hash", hash).executeUpdate());
            return tooMany.size();
        });
    }

    @Override
    public int removeExpired(Instant now) {
        return database.write(unit ->
                unit.createQuery(REMOVE_EXPIRED).setParameter("now", now).executeUpdate());
    }
}
