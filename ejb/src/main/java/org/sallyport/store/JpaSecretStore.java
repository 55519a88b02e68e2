package org.sallyport.store;

import jakarta.persistence.LockModeType;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sallyport.secret.Added;
import org.sallyport.secret.SealedSecret;
import org.sallyport.secret.Secret;
import org.sallyport.secret.SecretStore;

/** Sealed secrets in the database. */
public final class JpaSecretStore implements SecretStore {
    private static final String OF_TENANT = "select count(s) from SecretRow s where s.tenant = :tenant";
    private static final String ALL = "select s from SecretRow s";

    private final Database database;

    public JpaSecretStore(Database database) {
        this.database = database;
    }

    @Override
    public List<Secret> all() {
        // Sorted here: the order of texts is not the same in all databases.
        return database.read(session -> session.createQuery(ALL, SecretRow.class)
                .getResultStream()
                .map(row -> row.secret().about())
                .sorted(Comparator.comparing(Secret::tenant).thenComparing(Secret::name))
                .toList());
    }

    @Override
    public Optional<SealedSecret> find(String tenant, String name) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(session.find(SecretRow.class, new SecretRow.Key(tenant, name)))
                        .map(SecretRow::secret));
    }

    @Override
    public Added add(SealedSecret secret, int most) {
        try {
            return database.write(session -> {
                SecretRow row = new SecretRow(secret);
                if (session.find(
                                SecretRow.class,
                                new SecretRow.Key(
                                        secret.about().tenant(), secret.about().name()))
                        != null) {
                    return Added.EXISTS;
                }
                long there = session.createQuery(OF_TENANT, Long.class)
                        .setParameter("tenant", row.tenant)
                        .getSingleResult();
                if (there >= most) {
                    return Added.TOO_MANY;
                }
                session.persist(row);
                return Added.STORED;
            });
        } catch (RuntimeException e) {
            if (SqlFailures.isDuplicate(e)) {
                return Added.EXISTS;
            }
            throw e;
        }
    }

    @Override
    public boolean replace(SealedSecret secret, int before) {
        return database.write(session -> {
            SecretRow row = session.find(
                    SecretRow.class,
                    new SecretRow.Key(secret.about().tenant(), secret.about().name()),
                    LockModeType.PESSIMISTIC_WRITE);
            if (row == null || row.version != before) {
                return false;
            }
            row.set(secret);
            return true;
        });
    }

    @Override
    public boolean remove(String tenant, String name) {
        return database.write(tenant, session -> {
            SecretRow row = session.find(SecretRow.class, new SecretRow.Key(tenant, name));
            if (row == null) {
                return false;
            }
            session.remove(row);
            return true;
        });
    }

    @Override
    public void used(String tenant, String name, Secret.Mark use) {
        database.write(tenant, session -> {
            SecretRow row =
                    session.find(SecretRow.class, new SecretRow.Key(tenant, name), LockModeType.PESSIMISTIC_WRITE);
            if (row != null) {
                row.usedAt = use.at();
                row.usedBy = use.by();
            }
            return row != null;
        });
    }
}
