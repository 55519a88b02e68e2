package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;

/** Backends in the database. */
public final class JpaBackendStore implements BackendStore {
    private static final String LIST = "select b from BackendRow b";
    private static final String TOOLS = "select t from BackendToolRow t where t.backend = :backend";
    private static final String REMOVE_TOOLS = "delete from BackendToolRow t where t.backend = :backend";

    private final Database database;

    public JpaBackendStore(Database database) {
        this.database = database;
    }

    @Override
    public List<BackendDefinition> list() {
        // Sorted here: the order of texts is not the same in all databases.
        return database.read(session -> session.createQuery(LIST, BackendRow.class)
                .getResultStream()
                .map(BackendRow::definition)
                .sorted(Comparator.comparing(BackendDefinition::name))
                .toList());
    }

    @Override
    public Optional<BackendDefinition> find(String name) {
        return database.read(session -> Optional.ofNullable(session.find(BackendRow.class, LosslessText.encode(name)))
                .map(BackendRow::definition));
    }

    @Override
    public boolean add(BackendDefinition definition) {
        try {
            return database.write(session -> {
                if (session.find(BackendRow.class, definition.name()) != null) {
                    return false;
                }
                session.persist(new BackendRow(definition));
                return true;
            });
        } catch (RuntimeException e) {
            if (SqlFailures.isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void put(BackendDefinition definition) {
        database.writeAgainIfDuplicate(session -> session.merge(new BackendRow(definition)));
    }

    @Override
    public boolean remove(String name) {
        return database.write(session -> {
            BackendRow row = session.find(BackendRow.class, LosslessText.encode(name));
            if (row == null) {
                return false;
            }
            session.createQuery(REMOVE_TOOLS).setParameter("backend", name).executeUpdate();
            session.remove(row);
            return true;
        });
    }

    @Override
    public List<PinnedTool> tools(String backend) {
        return database.read(session -> sorted(rows(session, backend)));
    }

    @Override
    public List<PinnedTool> declared(String backend, List<ToolDefinition> tools) {
        return database.writeAgainIfDuplicate(session -> {
            Map<String, ToolDefinition> now =
                    tools.stream().collect(Collectors.toMap(ToolDefinition::name, Function.identity()));
            List<BackendToolRow> rows = rows(session, backend);
            for (BackendToolRow row : rows) {
                ToolDefinition declared = now.remove(row.name);
                row.set(declared == null ? row.tool().gone() : row.tool().declared(declared));
            }
            now.values().forEach(tool -> {
                BackendToolRow row = new BackendToolRow(backend, new PinnedTool(tool, Optional.empty(), true));
                session.persist(row);
                rows.add(row);
            });
            return sorted(rows);
        });
    }

    @Override
    public boolean accept(String backend, String tool, String hash) {
        return database.write(session -> {
            BackendToolRow row = session.find(
                    BackendToolRow.class,
                    new BackendToolRow.Key(LosslessText.encode(backend), LosslessText.encode(tool)));
            if (row == null
                    || row.tool()
                            .pending()
                            .filter(now -> now.hash().equals(hash))
                            .isEmpty()) {
                return false;
            }
            row.set(row.tool().accepted());
            return true;
        });
    }

    private static List<BackendToolRow> rows(EntityManager session, String backend) {
        return session.createQuery(TOOLS, BackendToolRow.class)
                .setParameter("backend", LosslessText.encode(backend))
                .getResultStream()
                .collect(Collectors.toCollection(java.util.ArrayList::new));
    }

    private static List<PinnedTool> sorted(List<BackendToolRow> rows) {
        return rows.stream()
                .map(BackendToolRow::tool)
                .sorted(Comparator.comparing(PinnedTool::name))
                .toList();
    }
}
