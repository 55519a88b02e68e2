package org.sallyport.sandbox.tier;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolIdentifiers;

/** Looks names up as the accessors of a guest do. Thread-safe. */
final class ToolNames {
    /** Never a tool: it would make its owner a promise. */
    private static final String PROMISE = "then";

    private static volatile @Nullable ToolNames last;

    private final List<GuestTool> tools;
    private final Map<String, List<String>> toolsByBackend;
    private final Map<String, String> identifierByBackend;
    private final Map<String, String> backendByName;
    private final Map<String, Map<String, String>> toolByName = new ConcurrentHashMap<>();

    private ToolNames(List<GuestTool> tools) {
        this.tools = List.copyOf(tools);
        toolsByBackend = tools.stream()
                .collect(Collectors.groupingBy(
                        GuestTool::backend, Collectors.mapping(GuestTool::tool, Collectors.toList())));
        identifierByBackend = ToolIdentifiers.of(toolsByBackend.keySet());
        backendByName = byName(identifierByBackend);
    }

    /** The names of these tools; remembered, since most scripts see the same. */
    static ToolNames of(List<GuestTool> tools) {
        ToolNames known = last;
        if (known == null || !known.tools.equals(tools)) {
            known = new ToolNames(tools);
            last = known;
        }
        return known;
    }

    /**
     * The tool that a path of two names, or of three with {@code tools} or {@code mcp} first, leads to in a guest; empty
     * when it leads to something else or nowhere.
     */
    Optional<GuestTool> resolve(List<String> path) {
        List<String> names = new ArrayList<>(path);
        if (GlobalNames.isToolRoot(names.get(0))) {
            names.remove(0);
        } else if (GlobalNames.isTaken(names.get(0)) || !identifierByBackend.containsValue(names.get(0))) {
            return Optional.empty();
        }
        if (names.size() != 2) {
            return Optional.empty();
        }
        // An unknown name is left to the guest, which knows better ones.
        String backend = names.get(0).equals(PROMISE) ? null : backendByName.get(names.get(0));
        if (backend == null || names.get(1).equals(PROMISE)) {
            return Optional.empty();
        }
        return Optional.ofNullable(tools(backend).get(names.get(1))).map(tool -> new GuestTool(backend, tool));
    }

    /** Whether scripts find a backend under that name alone. */
    boolean isBackend(String name) {
        return !GlobalNames.isTaken(name) && identifierByBackend.containsValue(name);
    }

    /**
     * The tool of a name such as {@code backend.tool}: split at the dot after which a known backend's name ends, else
     * at the first dot.
     */
    GuestTool split(String name) {
        for (int dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
            String head = name.substring(0, dot);
            for (Map.Entry<String, String> backend : identifierByBackend.entrySet()) {
                if (backend.getKey().equals(head) || backend.getValue().equals(head)) {
                    String tool = name.substring(dot + 1);
                    boolean original = toolsByBackend
                            .getOrDefault(backend.getKey(), List.of())
                            .contains(tool);
                    return new GuestTool(
                            backend.getKey(),
                            original ? tool : tools(backend.getKey()).getOrDefault(tool, tool));
                }
            }
        }
        int dot = name.indexOf('.');
        return new GuestTool(name.substring(0, dot), name.substring(dot + 1));
    }

    private Map<String, String> tools(String backend) {
        return toolByName.computeIfAbsent(
                toolsByBackend.containsKey(backend) ? backend : "",
                known -> byName(ToolIdentifiers.of(toolsByBackend.getOrDefault(known, List.of()))));
    }

    /** Original names, over which identifiers go. */
    private static Map<String, String> byName(Map<String, String> identifierByName) {
        Map<String, String> names = new HashMap<>(
                identifierByName.keySet().stream().collect(Collectors.toMap(Function.identity(), n -> n)));
        identifierByName.forEach((name, identifier) -> names.put(identifier, name));
        return names;
    }
}
