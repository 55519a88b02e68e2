package org.sallyport.web.mcp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.tool.ToolName;

/** Tools by the names that a script which is granted all of them calls them by. */
final class ScriptNames {
    private final Map<ToolName, String> names = new HashMap<>();
    private final Map<String, CatalogTool> tools = new HashMap<>();

    ScriptNames(List<CatalogTool> all) {
        Map<String, TreeSet<String>> byBackend = new TreeMap<>();
        all.forEach(tool -> byBackend
                .computeIfAbsent(tool.spec().name().backend(), backend -> new TreeSet<>())
                .add(tool.spec().name().tool()));
        Map<String, String> backends = ToolIdentifiers.of(byBackend.keySet());
        byBackend.forEach((backend, own) -> ToolIdentifiers.of(own)
                .forEach((tool, identifier) ->
                        names.put(new ToolName(backend, tool), backends.get(backend) + "." + identifier)));
        all.forEach(tool -> tools.put(of(tool), tool));
        // Where the two fall together, a tool's own name means that tool.
        all.forEach(tool -> tools.put(tool.spec().name().toString(), tool));
    }

    /** What a script calls it. */
    String of(CatalogTool tool) {
        return names.getOrDefault(tool.spec().name(), tool.spec().name().toString());
    }

    /** The tool of that name, its own or a script's. */
    Optional<CatalogTool> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }
}
