package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedTool;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;

/** Stores in the database which tools capabilities use. Thread-safe. */
public final class JpaUsedToolStore implements UsedToolStore {
    private static final String OF_VERSION =
            " from UsedToolEntity u where u.tenant = :tenant and u.name = :name and u.version = :version";

    /** In the same order on all nodes, so that no two transactions deadlock. */
    private static final Comparator<ToolUse> LOCK_ORDER =
            Comparator.comparing((ToolUse use) -> use.version().toString()).thenComparing(ToolUse::tool);

    private final Database database;

    public JpaUsedToolStore(Database database) {
        this.database = database;
    }

    @Override
    public void recordUses(String tenant, Collection<ToolUse> uses) {
        try {
            tryRecord(tenant, uses);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e)) {
                throw e;
            }
            // Another node has just recorded one of the tools for the first time.
            tryRecord(tenant, uses);
        }
    }

    private void tryRecord(String tenant, Collection<ToolUse> uses) {
        database.write(tenant, session -> {
            uses.stream().sorted(LOCK_ORDER).forEach(use -> record(session, use));
            return true;
        });
    }

    private static void record(EntityManager session, ToolUse use) {
        UsedToolEntity row = session.find(
                UsedToolEntity.class, new UsedToolEntity.UsedToolPrimaryKey(use), LockModeType.PESSIMISTIC_WRITE);
        if (row != null) {
            row.record(use);
            return;
        }
        long there = session.createQuery("select count(u)" + OF_VERSION, Long.class)
                .setParameter("tenant", LosslessText.encode(use.tenant()))
                .setParameter("name", LosslessText.encode(use.version().name()))
                .setParameter("version", LosslessText.encode(use.version().version()))
                .getSingleResult();
        if (there < MAX_TOOLS) {
            session.persist(new UsedToolEntity(use));
        }
    }

    @Override
    public List<UsedTool> listUsedTools(String tenant, CapabilityRef version) {
        // Sorted here, because databases order texts differently.
        return database.read(
                tenant,
                session -> session.createQuery("select u" + OF_VERSION, UsedToolEntity.class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("name", LosslessText.encode(version.name()))
                        .setParameter("version", LosslessText.encode(version.version()))
                        .getResultStream()
                        .map(UsedToolEntity::toUsedTool)
                        .sorted(Comparator.comparing(UsedTool::tool))
                        .toList());
    }
}
