package org.sallyport.sandbox.tier;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Toolbox;

/** Looks names up as the accessors of a guest do. Thread-safe. */
final class ToolNames {
    /** Never a tool: it would make its owner a promise. */
    private static final String PROMISE = "then";

    private static volatile @Nullable ToolNames last;

    private final List<GuestTool> tools;
    private final List<GuestTool> others;
    private final Map<String, String> identifierByBackend = new TreeMap<>();
    private final Map<String, Map<String, String>> identifierByTool = new HashMap<>();
    /** Identifiers under which scripts find a backend. */
    private final Set<String> seen;

    private final Map<String, String> backendByName;
    private final Map<String, Map<String, String>> toolByName = new ConcurrentHashMap<>();

    private ToolNames(Toolbox toolbox) {
        tools = toolbox.tools();
        others = toolbox.others();
        Stream.concat(tools.stream(), others.stream()).forEach(tool -> {
            identifierByBackend.put(tool.backend(), tool.backendId());
            identifierByTool
                    .computeIfAbsent(tool.backend(), backend -> new HashMap<>())
                    .put(tool.tool(), tool.toolId());
        });
        seen = tools.stream().map(GuestTool::backendId).collect(Collectors.toUnmodifiableSet());
        backendByName = byName(identifierByBackend);
    }

    /** The names of these tools; remembered, since most scripts see the same. */
    static ToolNames of(Toolbox toolbox) {
        ToolNames known = last;
        if (known == null || !known.tools.equals(toolbox.tools()) || !known.others.equals(toolbox.others())) {
            known = new ToolNames(toolbox);
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
        } else if (GlobalNames.isTaken(names.get(0)) || !seen.contains(names.get(0))) {
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
        return !GlobalNames.isTaken(name) && seen.contains(name);
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
                    boolean original = identifierByTool
                            .getOrDefault(backend.getKey(), Map.of())
                            .containsKey(tool);
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
                identifierByTool.containsKey(backend) ? backend : "",
                known -> byName(identifierByTool.getOrDefault(known, Map.of())));
    }

    /** Original names, over which identifiers go. */
    private static Map<String, String> byName(Map<String, String> identifierByName) {
        Map<String, String> names = new HashMap<>(
                identifierByName.keySet().stream().collect(Collectors.toMap(Function.identity(), n -> n)));
        identifierByName.forEach((name, identifier) -> names.put(identifier, name));
        return names;
    }
}
