package org.sallyport.connector;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.RecordedTools;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.catalog.ToolNameAssigner;

/** Backends in memory. */
public final class InMemoryBackendStore implements BackendStore {
    private final Map<String, BackendDefinition> definitions = new TreeMap<>();
    private final Map<String, String> identifiers = new TreeMap<>();
    /** Tools of each backend, by name. */
    private final Map<String, List<PinnedToolDefinition>> tools = new TreeMap<>();

    @Override
    public synchronized List<BackendDefinition> list() {
        return List.copyOf(definitions.values());
    }

    @Override
    public synchronized Optional<BackendDefinition> find(String name) {
        return Optional.ofNullable(definitions.get(name));
    }

    @Override
    public synchronized boolean add(BackendDefinition definition) {
        if (definitions.containsKey(definition.name())) {
            return false;
        }
        put(definition);
        return true;
    }

    @Override
    public synchronized void put(BackendDefinition definition) {
        definitions.put(definition.name(), definition);
        if (!identifiers.containsKey(definition.name())) {
            identifiers.put(
                    definition.name(), ToolNameAssigner.assignBackendIdentifier(definition.name(), identifiers));
        }
    }

    @Override
    public synchronized Map<String, String> listIdentifiers() {
        return Map.copyOf(identifiers);
    }

    @Override
    public synchronized boolean remove(String name) {
        tools.remove(name);
        identifiers.remove(name);
        return definitions.remove(name) != null;
    }

    @Override
    public synchronized List<PinnedToolDefinition> listTools(String backend) {
        return tools.getOrDefault(backend, List.of());
    }

    @Override
    public synchronized Optional<PinnedToolDefinition> findTool(String backend, String tool) {
        return listTools(backend).stream()
                .filter(each -> each.name().equals(tool))
                .findFirst();
    }

    @Override
    public synchronized Map<String, Set<String>> findDeclaredNames(Collection<String> backends) {
        return backends.stream()
                .filter(definitions::containsKey)
                .collect(Collectors.toMap(
                        Function.identity(),
                        backend -> listTools(backend).stream()
                                .filter(PinnedToolDefinition::available)
                                .map(PinnedToolDefinition::name)
                                .collect(Collectors.toSet())));
    }

    @Override
    public synchronized Optional<RecordedTools> recordDeclared(
            BackendDefinition backend, List<ToolDefinition> declared) {
        return find(backend.name())
                .filter(now -> now.version().equals(backend.version()))
                .map(now -> {
                    RecordedTools recorded = RecordedTools.of(listTools(backend.name()), declared, MAX_TOOLS);
                    tools.put(backend.name(), recorded.tools());
                    return recorded;
                });
    }

    @Override
    public synchronized boolean acceptPending(String backend, String tool, String hash) {
        boolean pending = findTool(backend, tool)
                .flatMap(PinnedToolDefinition::pending)
                .filter(now -> now.hash().equals(hash))
                .isPresent();
        if (pending) {
            tools.put(
                    backend,
                    listTools(backend).stream()
                            .map(each -> each.name().equals(tool) ? each.withPendingAccepted() : each)
                            .toList());
        }
        return pending;
    }
}
