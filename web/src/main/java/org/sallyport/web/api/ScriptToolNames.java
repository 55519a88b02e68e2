package org.sallyport.web.api;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.sandbox.tier.ReservedNames;
import org.sallyport.tool.ToolName;

/** Tools by the names that scripts call them by, whatever is granted to them. Thread-safe. */
public final class ScriptToolNames {
    private static volatile @Nullable ScriptToolNames cached;

    private final List<CatalogTool> all;
    private final Map<ToolName, String> names = new HashMap<>();
    private final Map<String, CatalogTool> tools = new HashMap<>();

    private ScriptToolNames(List<CatalogTool> all) {
        this.all = all;
        ToolIdentifiers.withIdentifiers(all.stream()
                        .map(tool -> new GuestTool(
                                tool.spec().name().backend(), tool.spec().name().tool()))
                        .toList())
                .forEach(tool ->
                        names.put(new ToolName(tool.backend(), tool.tool()), tool.backendId() + "." + tool.toolId()));
        all.forEach(tool -> tools.put(of(tool), tool));
        // Where the two fall together, a tool's own name means that tool.
        all.forEach(tool -> tools.put(tool.spec().name().toString(), tool));
    }

    /** The names of all tools of {@code catalog}; remembered until it changes. */
    public static ScriptToolNames of(ToolCatalog catalog) {
        List<CatalogTool> all = catalog.all();
        ScriptToolNames known = cached;
        if (known == null || known.all != all) {
            known = new ScriptToolNames(all);
            cached = known;
        }
        return known;
    }

    /** What a script finds it under in {@code tools}: {@code everything.get_sum}. */
    public String of(CatalogTool tool) {
        return names.getOrDefault(tool.spec().name(), tool.spec().name().toString());
    }

    /** What a script writes to call it: the same, from {@code tools} on where a global has the name of its backend. */
    public String callExpression(CatalogTool tool) {
        String name = of(tool);
        return ReservedNames.isReserved(name.substring(0, name.indexOf('.'))) ? "tools." + name : name;
    }

    /** The tool of that name, its own or a script's. */
    public Optional<CatalogTool> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }
}
