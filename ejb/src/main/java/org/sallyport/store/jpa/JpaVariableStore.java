package org.sallyport.store.jpa;

import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sallyport.variable.TenantVariable;
import org.sallyport.variable.VariableStore;

/** Stores variables in the database. Thread-safe. */
public final class JpaVariableStore implements VariableStore {
    private static final String COUNT = "select count(v) from VariableEntity v where v.tenant = :tenant";
    private static final String OF_TENANT = "select v from VariableEntity v where v.tenant = :tenant";
    private static final String NAMED = OF_TENANT + " and v.name in :names";

    private final Database database;

    public JpaVariableStore(Database database) {
        this.database = database;
    }

    @Override
    public List<TenantVariable> list(String tenant) {
        // Sorted here, because databases order texts differently.
        return database.read(
                tenant,
                session -> session.createQuery(OF_TENANT, VariableEntity.class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .getResultStream()
                        .map(VariableEntity::toVariable)
                        .sorted(Comparator.comparing(TenantVariable::name))
                        .toList());
    }

    @Override
    public List<TenantVariable> find(String tenant, Collection<String> names) {
        return names.isEmpty()
                ? List.of()
                : database.read(
                        tenant,
                        session -> session.createQuery(NAMED, VariableEntity.class)
                                .setParameter("tenant", LosslessText.encode(tenant))
                                .setParameter("names", List.copyOf(names))
                                .getResultStream()
                                .map(VariableEntity::toVariable)
                                .toList());
    }

    @Override
    public Optional<TenantVariable> set(
            String tenant, String name, TenantVariable.ValueSource source, Instant now, String by, int maxVariables) {
        try {
            return trySet(tenant, name, source, now, by, maxVariables);
        } catch (RuntimeException e) {
            if (SqlErrorClassifier.isDuplicate(e)) {
                // Another request has just added the variable, so this one changes it.
                return trySet(tenant, name, source, now, by, maxVariables);
            }
            throw e;
        }
    }

    private Optional<TenantVariable> trySet(
            String tenant, String name, TenantVariable.ValueSource source, Instant now, String by, int maxVariables) {
        return database.write(tenant, session -> {
            VariableEntity row = session.find(
                    VariableEntity.class,
                    new VariableEntity.VariablePrimaryKey(tenant, name),
                    LockModeType.PESSIMISTIC_WRITE);
            if (row != null) {
                row.set(source, now, by);
                return Optional.of(row.toVariable());
            }
            long there = session.createQuery(COUNT, Long.class)
                    .setParameter("tenant", LosslessText.encode(tenant))
                    .getSingleResult();
            if (there >= maxVariables) {
                return Optional.empty();
            }
            VariableEntity added = new VariableEntity(tenant, name);
            added.set(source, now, by);
            session.persist(added);
            return Optional.of(added.toVariable());
        });
    }

    @Override
    public boolean remove(String tenant, String name) {
        return database.write(tenant, session -> {
            VariableEntity row =
                    session.find(VariableEntity.class, new VariableEntity.VariablePrimaryKey(tenant, name));
            if (row != null) {
                session.remove(row);
            }
            return row != null;
        });
    }
}
