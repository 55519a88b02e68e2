package org.sallyport.sandbox.directcall;

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

/** Resolves names like the tool accessors of a guest. Thread-safe. */
final class ToolNameLookup {
    /** Never a tool, because it would turn its owner into a thenable. */
    private static final String PROMISE_MEMBER = "then";

    private static volatile @Nullable ToolNameLookup cachedLookup;

    private final List<GuestTool> tools;
    private final List<GuestTool> ungrantedTools;
    private final Map<String, String> identifierByBackend = new TreeMap<>();
    private final Map<String, Map<String, String>> identifierByTool = new HashMap<>();
    /** Identifiers of the backends that scripts can see. */
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

    /** Returns the lookup of a toolbox; the last one is cached, since most scripts see the same tools. */
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
     * Resolves a path of two names, or of three with {@code tools} or {@code mcp} first, as a guest does. Returns empty
     * if it does not denote a tool.
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
        // The guest handles an unknown name, because it can suggest similar names.
        String backend = names.get(0).equals(PROMISE_MEMBER) ? null : backendByName.get(names.get(0));
        if (backend == null || names.get(1).equals(PROMISE_MEMBER)) {
            return Optional.empty();
        }
        return Optional.ofNullable(toolNamesOf(backend).get(names.get(1))).map(tool -> new GuestTool(backend, tool));
    }

    /** Returns whether scripts can use that name alone for a backend. */
    boolean isBackend(String name) {
        return !ReservedNames.isReserved(name) && visibleBackendIds.contains(name);
    }

    /**
     * Splits a name such as {@code backend.tool} at the dot that ends the name of a known backend, else at the first
     * dot, and returns the original names.
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

    /** Maps original names and identifiers to original names; identifiers take precedence. */
    private static Map<String, String> byName(Map<String, String> identifierByName) {
        Map<String, String> names = new HashMap<>(
                identifierByName.keySet().stream().collect(Collectors.toMap(Function.identity(), n -> n)));
        identifierByName.forEach((name, identifier) -> names.put(identifier, name));
        return names;
    }
}
