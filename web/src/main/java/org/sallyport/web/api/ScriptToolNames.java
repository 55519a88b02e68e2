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
import org.sallyport.sandbox.directcall.ReservedNames;
import org.sallyport.tool.ToolName;

/** Maps tools to the names that scripts use, independent of grants. Thread-safe. */
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
        // If the two names collide, the tool's own name wins.
        all.forEach(tool -> tools.put(tool.spec().name().toString(), tool));
    }

    /** The names of all tools of {@code catalog}; cached until the catalog changes. */
    public static ScriptToolNames of(ToolCatalog catalog) {
        List<CatalogTool> all = catalog.all();
        ScriptToolNames known = cached;
        if (known == null || known.all != all) {
            known = new ScriptToolNames(all);
            cached = known;
        }
        return known;
    }

    /** The path of the tool in {@code tools} of a script, such as {@code everything.get_sum}. */
    public String of(CatalogTool tool) {
        return names.getOrDefault(tool.spec().name(), tool.spec().name().toString());
    }

    /**
     * The expression by which a script calls the tool: its path, with the prefix {@code tools.} if a global has the
     * name of its backend.
     */
    public String callExpression(CatalogTool tool) {
        String name = of(tool);
        return ReservedNames.isReserved(name.substring(0, name.indexOf('.'))) ? "tools." + name : name;
    }

    /** Finds a tool by its own name or by the name that scripts use. */
    public Optional<CatalogTool> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }
}
