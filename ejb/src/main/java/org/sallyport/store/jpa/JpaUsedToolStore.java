package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedTool;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;

/** Stores in the database which tools capabilities use. Thread-safe. */
public final class JpaUsedToolStore implements UsedToolStore {
    private static final String OF_VERSION =
            "select u from UsedToolEntity u where u.tenant = :tenant and u.name = :name and u.version = :version";

    /** In the same order on all nodes, so that no two transactions deadlock. */
    private static final Comparator<ToolUse> LOCK_ORDER =
            Comparator.comparing((ToolUse use) -> use.version().toString()).thenComparing(ToolUse::tool);

    private final Database database;

    public JpaUsedToolStore(Database database) {
        this.database = database;
    }

    @Override
    public void recordUses(String tenant, Collection<ToolUse> uses) {
        Map<CapabilityRef, List<ToolUse>> byVersion = uses.stream()
                .sorted(LOCK_ORDER)
                .collect(Collectors.groupingBy(ToolUse::version, LinkedHashMap::new, Collectors.toList()));
        // Another node may record one of the tools for the first time meanwhile.
        database.writeWithDuplicateRetry(tenant, session -> {
            byVersion.forEach((version, used) -> record(session, tenant, version, used));
            return true;
        });
    }

    /** Locks only rows that change. */
    private static void record(EntityManager session, String tenant, CapabilityRef version, List<ToolUse> uses) {
        Map<String, UsedToolEntity> stored = listRows(session, tenant, version)
                .collect(Collectors.toMap(row -> row.toUsedTool().tool(), Function.identity()));
        int rows = stored.size();
        for (ToolUse use : uses) {
            UsedToolEntity row = stored.get(use.tool());
            if (row == null && rows < MAX_TOOLS) {
                session.persist(new UsedToolEntity(use));
                rows++;
            } else if (row != null && row.isChangedBy(use)) {
                session.refresh(row, LockModeType.PESSIMISTIC_WRITE);
                row.record(use);
            }
        }
    }

    private static Stream<UsedToolEntity> listRows(EntityManager session, String tenant, CapabilityRef version) {
        return session.createQuery(OF_VERSION, UsedToolEntity.class)
                .setParameter("tenant", LosslessText.encode(tenant))
                .setParameter("name", LosslessText.encode(version.name()))
                .setParameter("version", LosslessText.encode(version.version()))
                .getResultStream();
    }

    @Override
    public List<UsedTool> listUsedTools(String tenant, CapabilityRef version) {
        // Sorted here, because databases order texts differently.
        return database.read(
                tenant,
                session -> listRows(session, tenant, version)
                        .map(UsedToolEntity::toUsedTool)
                        .sorted(Comparator.comparing(UsedTool::tool))
                        .toList());
    }
}
