package org.sallyport.connector;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.catalog.ToolNameAssigner;

/** Backends in memory. */
public final class InMemoryBackendStore implements BackendStore {
    private final Map<String, BackendDefinition> definitions = new TreeMap<>();
    private final Map<String, String> identifiers = new TreeMap<>();
    /** Tools of each backend by their names on the server. */
    private final Map<String, Map<String, PinnedToolDefinition>> tools = new TreeMap<>();

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
    public synchronized Optional<String> findIdentifier(String name) {
        return Optional.ofNullable(identifiers.get(name));
    }

    @Override
    public synchronized boolean remove(String name) {
        tools.remove(name);
        identifiers.remove(name);
        return definitions.remove(name) != null;
    }

    @Override
    public synchronized List<PinnedToolDefinition> listTools(String backend) {
        List<PinnedToolDefinition> list =
                new ArrayList<>(tools.getOrDefault(backend, Map.of()).values());
        list.sort(Comparator.comparing(PinnedToolDefinition::name));
        return list;
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
    public synchronized List<PinnedToolDefinition> recordDeclared(String backend, List<ToolDefinition> declared) {
        Map<String, PinnedToolDefinition> known = tools.computeIfAbsent(backend, name -> new LinkedHashMap<>());
        Map<String, ToolDefinition> now = new LinkedHashMap<>();
        declared.forEach(tool -> now.putIfAbsent(tool.originalName(), tool));
        known.replaceAll((original, tool) -> {
            ToolDefinition definition = now.remove(original);
            return definition == null ? tool.asUnavailable() : tool.withDeclaration(definition);
        });
        Map<String, String> declaredNames = new TreeMap<>();
        now.forEach((original, tool) -> declaredNames.put(original, tool.name()));
        List<AssignedToolName> existing =
                known.values().stream().map(PinnedToolDefinition::names).toList();
        ToolNameAssigner.assign(existing, declaredNames)
                .forEach((original, names) -> known.put(
                        original, PinnedToolDefinition.firstSeen(names, Objects.requireNonNull(now.get(original)))));
        return listTools(backend);
    }

    @Override
    public synchronized boolean acceptPending(String backend, String tool, String hash) {
        Map<String, PinnedToolDefinition> all = tools.computeIfAbsent(backend, name -> new LinkedHashMap<>());
        PinnedToolDefinition known = findTool(backend, tool).orElse(null);
        if (known == null
                || known.pending().filter(now -> now.hash().equals(hash)).isEmpty()) {
            return false;
        }
        all.put(known.definition().originalName(), known.withPendingAccepted());
        return true;
    }
}
