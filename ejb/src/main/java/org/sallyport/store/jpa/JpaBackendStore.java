package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedToolDefinition;
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
        Map<String, String> others = new HashMap<>();
        session.createQuery(IDENTIFIERS, Object[].class)
                .getResultStream()
                .forEach(row -> others.put((String) row[0], (String) row[1]));
        return ToolNameAssigner.assignBackendIdentifier(name, others);
    }

    @Override
    public Optional<String> findIdentifier(String name) {
        return database.read(
                session -> Optional.ofNullable(session.find(BackendEntity.class, LosslessText.encode(name)))
                        .map(row -> row.identifier));
    }

    @Override
    public boolean remove(String name) {
        return database.write(session -> {
            BackendEntity row = session.find(BackendEntity.class, LosslessText.encode(name));
            if (row == null) {
                return false;
            }
            session.createQuery(REMOVE_TOOLS).setParameter("backend", name).executeUpdate();
            session.remove(row);
            return true;
        });
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
    public List<PinnedToolDefinition> recordDeclared(String backend, List<ToolDefinition> tools) {
        return database.writeWithDuplicateRetry(session -> {
            // Two nodes that record tools of one backend at the same time do so one after the other.
            session.find(BackendEntity.class, LosslessText.encode(backend), LockModeType.PESSIMISTIC_WRITE);
            Map<String, ToolDefinition> now = new LinkedHashMap<>();
            tools.forEach(tool -> now.putIfAbsent(tool.originalName(), tool));
            List<BackendToolEntity> rows = findTools(session, backend);
            List<AssignedToolName> existing = new ArrayList<>();
            for (BackendToolEntity row : rows) {
                PinnedToolDefinition before = row.toPinnedTool();
                existing.add(before.names());
                ToolDefinition declared = now.remove(before.definition().originalName());
                row.update(declared == null ? before.asUnavailable() : before.withDeclaration(declared));
            }
            Map<String, String> declaredNames = new HashMap<>();
            now.forEach((original, tool) -> declaredNames.put(original, tool.name()));
            ToolNameAssigner.assign(existing, declaredNames).forEach((original, names) -> {
                ToolDefinition declared = Objects.requireNonNull(now.get(original));
                BackendToolEntity row = new BackendToolEntity(backend, PinnedToolDefinition.firstSeen(names, declared));
                session.persist(row);
                rows.add(row);
            });
            return toSortedTools(rows);
        });
    }

    @Override
    public boolean acceptPending(String backend, String tool, String hash) {
        return database.write(session -> {
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
                .getResultStream()
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static List<PinnedToolDefinition> toSortedTools(List<BackendToolEntity> rows) {
        return rows.stream()
                .map(BackendToolEntity::toPinnedTool)
                .sorted(Comparator.comparing(PinnedToolDefinition::name))
                .toList();
    }
}
