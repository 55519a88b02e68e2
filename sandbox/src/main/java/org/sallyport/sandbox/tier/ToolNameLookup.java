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
final class ToolNameLookup {
    /** Never a tool: it would make its owner a promise. */
    private static final String PROMISE_MEMBER = "then";

    private static volatile @Nullable ToolNameLookup cachedLookup;

    private final List<GuestTool> tools;
    private final List<GuestTool> ungrantedTools;
    private final Map<String, String> identifierByBackend = new TreeMap<>();
    private final Map<String, Map<String, String>> identifierByTool = new HashMap<>();
    /** Identifiers under which scripts find a backend. */
    private final Set<String> visibleBackendIds;

    private final Map<String, String> backendByName;
    private final Map<String, Map<String, String>> toolByName = new ConcurrentHashMap<>();

    private ToolNameLookup(Toolbox toolbox) {
        tools = toolbox.tools();
        ungrantedTools = toolbox.ungrantedTools();
        Stream.concat(tools.stream(), ungrantedTools.stream()).forEach(tool -> {
            identifierByBackend.put(tool.backend(), tool.backendId());
            identifierByTool
                    .computeIfAbsent(tool.backend(), backend -> new HashMap<>())
                    .put(tool.tool(), tool.toolId());
        });
        visibleBackendIds = tools.stream().map(GuestTool::backendId).collect(Collectors.toUnmodifiableSet());
        backendByName = byName(identifierByBackend);
    }

    /** The names of these tools; remembered, since most scripts see the same. */
    static ToolNameLookup of(Toolbox toolbox) {
        ToolNameLookup known = cachedLookup;
        if (known == null
                || !known.tools.equals(toolbox.tools())
                || !known.ungrantedTools.equals(toolbox.ungrantedTools())) {
            known = new ToolNameLookup(toolbox);
            cachedLookup = known;
        }
        return known;
    }

    /**
     * The tool that a path of two names, or of three with {@code tools} or {@code mcp} first, leads to in a guest; empty
     * when it leads to something else or nowhere.
     */
    Optional<GuestTool> resolve(List<String> path) {
        List<String> names = new ArrayList<>(path);
        if (ReservedNames.isToolRoot(names.get(0))) {
            names.remove(0);
        } else if (ReservedNames.isReserved(names.get(0)) || !visibleBackendIds.contains(names.get(0))) {
            return Optional.empty();
        }
        if (names.size() != 2) {
            return Optional.empty();
        }
        // An unknown name is left to the guest, which knows better ones.
        String backend = names.get(0).equals(PROMISE_MEMBER) ? null : backendByName.get(names.get(0));
        if (backend == null || names.get(1).equals(PROMISE_MEMBER)) {
            return Optional.empty();
        }
        return Optional.ofNullable(toolNamesOf(backend).get(names.get(1))).map(tool -> new GuestTool(backend, tool));
    }

    /** Whether scripts find a backend under that name alone. */
    boolean isBackend(String name) {
        return !ReservedNames.isReserved(name) && visibleBackendIds.contains(name);
    }

    /**
     * The tool of a name such as {@code backend.tool}: split at the dot after which a known backend's name ends, else
     * at the first dot.
     */
    GuestTool splitName(String name) {
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
                            original ? tool : toolNamesOf(backend.getKey()).getOrDefault(tool, tool));
                }
            }
        }
        int dot = name.indexOf('.');
        return new GuestTool(name.substring(0, dot), name.substring(dot + 1));
    }

    private Map<String, String> toolNamesOf(String backend) {
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
