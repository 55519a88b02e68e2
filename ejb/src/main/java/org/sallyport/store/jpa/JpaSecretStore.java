package org.sallyport.store.jpa;

import jakarta.persistence.LockModeType;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sallyport.secrets.AddSecretResult;
import org.sallyport.secrets.EncryptedSecret;
import org.sallyport.secrets.Secret;
import org.sallyport.secrets.SecretStore;

/** Stores encrypted secrets in the database. Thread-safe. */
public final class JpaSecretStore implements SecretStore {
    private static final String OF_TENANT = "select count(s) from SecretEntity s where s.tenant = :tenant";
    private static final String ALL = "select s from SecretEntity s";

    private final Database database;

    public JpaSecretStore(Database database) {
        this.database = database;
    }

    @Override
    public List<Secret> listAll() {
        // Sorted here, because databases order texts differently.
        return database.read(session -> session.createQuery(ALL, SecretEntity.class)
                .getResultStream()
                .map(row -> row.toEncryptedSecret().metadata())
                .sorted(Comparator.comparing(Secret::tenant).thenComparing(Secret::name))
                .toList());
    }

    @Override
    public Optional<EncryptedSecret> find(String tenant, String name) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(
                                session.find(SecretEntity.class, new SecretEntity.SecretPrimaryKey(tenant, name)))
                        .map(SecretEntity::toEncryptedSecret));
    }

    @Override
    public AddSecretResult add(EncryptedSecret secret, int maxSecrets) {
        try {
            return database.write(session -> {
                SecretEntity row = new SecretEntity(secret);
                if (session.find(
                                SecretEntity.class,
                                new SecretEntity.SecretPrimaryKey(
                                        secret.metadata().tenant(),
                                        secret.metadata().name()))
                        != null) {
                    return AddSecretResult.EXISTS;
                }
                long there = session.createQuery(OF_TENANT, Long.class)
                        .setParameter("tenant", row.tenant)
                        .getSingleResult();
                if (there >= maxSecrets) {
                    return AddSecretResult.TOO_MANY;
                }
                session.persist(row);
                return AddSecretResult.STORED;
            });
        } catch (RuntimeException e) {
            if (SqlErrorClassifier.isDuplicate(e)) {
                return AddSecretResult.EXISTS;
            }
            throw e;
        }
    }

    @Override
    public boolean replace(EncryptedSecret secret, int before) {
        return database.write(session -> {
            SecretEntity row = session.find(
                    SecretEntity.class,
                    new SecretEntity.SecretPrimaryKey(
                            secret.metadata().tenant(), secret.metadata().name()),
                    LockModeType.PESSIMISTIC_WRITE);
            if (row == null || row.version != before) {
                return false;
            }
            row.update(secret);
            return true;
        });
    }

    @Override
    public boolean remove(String tenant, String name) {
        return database.write(tenant, session -> {
            SecretEntity row = session.find(SecretEntity.class, new SecretEntity.SecretPrimaryKey(tenant, name));
            if (row == null) {
                return false;
            }
            session.remove(row);
            return true;
        });
    }

    @Override
    public void markUsed(String tenant, String name, Secret.SecretActivity use) {
        database.write(tenant, session -> {
            SecretEntity row = session.find(
                    SecretEntity.class,
                    new SecretEntity.SecretPrimaryKey(tenant, name),
                    LockModeType.PESSIMISTIC_WRITE);
            if (row != null) {
                row.usedAt = use.at();
                row.usedBy = use.by();
            }
            return row != null;
        });
    }
}
