package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.Optional;
import org.sallyport.auth.ConsoleSessionStore;

/** Stores console sessions in the database. Thread-safe. */
public final class JpaConsoleSessionStore implements ConsoleSessionStore {
    private static final String REMOVE = "delete from SessionEntity s where s.hash = :hash";
    private static final String ROWS_OF_KEY = "select s from SessionEntity s where s.keyId = :key order by s.hash";
    private static final String OF_KEY =
            "select s.hash from SessionEntity s where s.keyId = :key order by s.expiresAt desc, s.hash";
    private static final String REMOVE_EXPIRED = "delete from SessionEntity s where s.expiresAt < :now";

    private final Database database;

    public JpaConsoleSessionStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(StoredSession session, int maxSessions) {
        database.write(unit -> {
            // A transaction that adds a session of the same key concurrently waits here, and then counts this session.
            unit.createQuery(ROWS_OF_KEY, SessionEntity.class)
                    .setParameter("key", session.callerId())
                    .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                    .getResultList();
            unit.createQuery(OF_KEY, String.class)
                    .setParameter("key", session.callerId())
                    .setFirstResult(maxSessions - 1)
                    .getResultList()
                    .forEach(hash -> remove(unit, hash));
            unit.persist(new SessionEntity(session));
            return true;
        });
    }

    @Override
    public Optional<StoredSession> find(String hash) {
        return database.read(unit ->
                Optional.ofNullable(unit.find(SessionEntity.class, hash)).map(SessionEntity::toStoredSession));
    }

    @Override
    public void remove(String hash) {
        database.write(unit -> remove(unit, hash));
    }

    private static int remove(EntityManager unit, String hash) {
        return unit.createQuery(REMOVE).setParameter("hash", hash).executeUpdate();
    }

    @Override
    public int removeExpired(Instant now) {
        return database.write(unit ->
                unit.createQuery(REMOVE_EXPIRED).setParameter("now", now).executeUpdate());
    }
}
