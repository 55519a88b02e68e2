package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.RecordedTools;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.catalog.ToolNameAssigner;

/** Stores backends in the database. Thread-safe. */
public final class JpaBackendStore implements BackendStore {
    private static final String LIST = "select b from BackendEntity b";
    private static final String TOOLS = "select t from BackendToolEntity t where t.backend = :backend";
    private static final String EXISTING = "select b.name from BackendEntity b where b.name in :backends";
    private static final String DECLARED =
            "select t.backend, t.name from BackendToolEntity t where t.backend in :backends and t.available = true";
    private static final String IDENTIFIERS = "select b.name, b.identifier from BackendEntity b";
    private static final String REMOVE_TOOLS = "delete from BackendToolEntity t where t.backend = :backend";

    private final Database database;

    public JpaBackendStore(Database database) {
        this.database = database;
    }

    @Override
    public List<BackendDefinition> list() {
        // Sorted here, because databases order texts differently.
        return database.read(session -> session.createQuery(LIST, BackendEntity.class)
                .getResultStream()
                .map(BackendEntity::toDefinition)
                .sorted(Comparator.comparing(BackendDefinition::name))
                .toList());
    }

    @Override
    public Optional<BackendDefinition> find(String name) {
        return database.read(
                session -> Optional.ofNullable(session.find(BackendEntity.class, LosslessText.encode(name)))
                        .map(BackendEntity::toDefinition));
    }

    @Override
    public boolean add(BackendDefinition definition) {
        // A duplicate is another backend of that name, or one that was added at the same time and has the identifier.
        return database.writeWithDuplicateRetry(session -> {
            if (session.find(BackendEntity.class, definition.name()) != null) {
                return false;
            }
            session.persist(new BackendEntity(definition, assignIdentifier(session, definition.name())));
            return true;
        });
    }

    @Override
    public void put(BackendDefinition definition) {
        database.writeWithDuplicateRetry(session -> {
            BackendEntity before = session.find(BackendEntity.class, definition.name());
            String identifier = before == null ? assignIdentifier(session, definition.name()) : before.identifier;
            return session.merge(new BackendEntity(definition, identifier));
        });
    }

    private static String assignIdentifier(EntityManager session, String name) {
        return ToolNameAssigner.assignBackendIdentifier(name, listIdentifiers(session));
    }

    @Override
    public Map<String, String> listIdentifiers() {
        return database.read(JpaBackendStore::listIdentifiers);
    }

    private static Map<String, String> listIdentifiers(EntityManager session) {
        Map<String, String> identifiers = new HashMap<>();
        session.createQuery(IDENTIFIERS, Object[].class)
                .getResultStream()
                .forEach(row -> identifiers.put((String) row[0], (String) row[1]));
        return identifiers;
    }

    /**
     * Locks the row of a backend until the end of the transaction, so that its tools are recorded, accepted and removed
     * one after the other; empty if there is no such backend.
     */
    private static Optional<BackendEntity> lock(EntityManager session, String backend) {
        return Optional.ofNullable(
                session.find(BackendEntity.class, LosslessText.encode(backend), LockModeType.PESSIMISTIC_WRITE));
    }

    @Override
    public boolean remove(String name) {
        return database.write(session -> lock(session, name)
                .map(row -> {
                    session.createQuery(REMOVE_TOOLS)
                            .setParameter("backend", name)
                            .executeUpdate();
                    session.remove(row);
                    return true;
                })
                .orElse(false));
    }

    @Override
    public List<PinnedToolDefinition> listTools(String backend) {
        return database.read(session -> toSortedTools(findTools(session, backend)));
    }

    @Override
    public Optional<PinnedToolDefinition> findTool(String backend, String tool) {
        return database.read(session -> findToolRow(session, backend, tool).map(BackendToolEntity::toPinnedTool));
    }

    private static Optional<BackendToolEntity> findToolRow(EntityManager session, String backend, String tool) {
        return Optional.ofNullable(session.find(
                BackendToolEntity.class,
                new BackendToolEntity.BackendToolPrimaryKey(LosslessText.encode(backend), LosslessText.encode(tool))));
    }

    @Override
    public Map<String, Set<String>> findDeclaredNames(Collection<String> backends) {
        List<String> wanted = backends.stream().map(LosslessText::encode).toList();
        return database.read(session -> {
            Map<String, Set<String>> names = new HashMap<>();
            session.createQuery(EXISTING, String.class)
                    .setParameter("backends", wanted)
                    .getResultStream()
                    .forEach(backend -> names.put(LosslessText.decode(backend), new HashSet<>()));
            session.createQuery(DECLARED, Object[].class)
                    .setParameter("backends", wanted)
                    .getResultStream()
                    .forEach(row -> names.computeIfPresent(LosslessText.decode((String) row[0]), (backend, tools) -> {
                        tools.add(LosslessText.decode((String) row[1]));
                        return tools;
                    }));
            return names;
        });
    }

    @Override
    public Optional<RecordedTools> recordDeclared(BackendDefinition backend, List<ToolDefinition> tools) {
        return database.writeWithDuplicateRetry(session -> lock(session, backend.name())
                .filter(row -> row.version.equals(backend.version()))
                .map(row -> recordDeclared(session, backend.name(), tools)));
    }

    private static RecordedTools recordDeclared(EntityManager session, String backend, List<ToolDefinition> tools) {
        Map<String, BackendToolEntity> rows = new HashMap<>();
        Map<String, PinnedToolDefinition> before = new HashMap<>();
        for (BackendToolEntity row : findTools(session, backend)) {
            PinnedToolDefinition tool = row.toPinnedTool();
            rows.put(tool.name(), row);
            before.put(tool.name(), tool);
        }
        RecordedTools recorded = RecordedTools.of(List.copyOf(before.values()), tools, MAX_TOOLS);
        for (PinnedToolDefinition tool : recorded.tools()) {
            BackendToolEntity row = rows.get(tool.name());
            if (row == null) {
                session.persist(new BackendToolEntity(backend, tool));
            } else if (!tool.equals(before.get(tool.name()))) {
                row.update(tool);
            }
        }
        return recorded;
    }

    @Override
    public boolean acceptPending(String backend, String tool, String hash) {
        return database.write(session -> {
            if (lock(session, backend).isEmpty()) {
                return false;
            }
            BackendToolEntity row = findToolRow(session, backend, tool).orElse(null);
            if (row == null
                    || row.toPinnedTool()
                            .pending()
                            .filter(now -> now.hash().equals(hash))
                            .isEmpty()) {
                return false;
            }
            row.update(row.toPinnedTool().withPendingAccepted());
            return true;
        });
    }

    private static List<BackendToolEntity> findTools(EntityManager session, String backend) {
        return session.createQuery(TOOLS, BackendToolEntity.class)
                .setParameter("backend", LosslessText.encode(backend))
                .getResultList();
    }

    private static List<PinnedToolDefinition> toSortedTools(List<BackendToolEntity> rows) {
        return rows.stream()
                .map(BackendToolEntity::toPinnedTool)
                .sorted(Comparator.comparing(PinnedToolDefinition::name))
                .toList();
    }
}
