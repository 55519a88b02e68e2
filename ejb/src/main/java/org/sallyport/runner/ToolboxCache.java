package org.sallyport.runner;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.ToolGrants;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.tool.ToolName;

/**
 * Caches the toolboxes of scripts by their grants. Returns the same object for the same grants until the catalog
 * changes, so that each toolbox is sent to a worker once. Thread-safe.
 */
public final class ToolboxCache {
    /** Number of grant sets above which the cache is cleared. */
    private static final int MAX_ENTRIES = 1_000;

    private final ToolCatalog catalog;
    private final List<LibraryModule> modules;
    private volatile ToolboxSnapshot snapshot = new ToolboxSnapshot(List.of());

    /**
     * @param guestTools the same tools with their identifiers, assigned before filtering, so that an identifier means
     *     the same tool under all grants
     */
    private record ToolboxSnapshot(
            List<CatalogTool> tools, List<GuestTool> guestTools, Map<List<String>, Toolbox> byGrants) {
        ToolboxSnapshot(List<CatalogTool> tools) {
            this(
                    tools,
                    ToolIdentifiers.withIdentifiers(tools.stream()
                            .map(tool -> new GuestTool(
                                    tool.spec().name().backend(),
                                    tool.spec().name().tool(),
                                    tool.description().text()))
                            .toList()),
                    new ConcurrentHashMap<>());
        }
    }

    /** @param modules the modules that every script may import */
    public ToolboxCache(ToolCatalog catalog, List<LibraryModule> modules) {
        this.catalog = catalog;
        this.modules = List.copyOf(modules);
    }

    /** Returns the toolbox of a script with these grants. */
    public Toolbox forGrants(List<String> grants) {
        List<CatalogTool> tools = catalog.all();
        ToolboxSnapshot present = snapshot;
        if (present.tools() != tools || present.byGrants().size() > MAX_ENTRIES) {
            present = new ToolboxSnapshot(tools);
            snapshot = present;
        }
        List<GuestTool> named = present.guestTools();
        return present.byGrants().computeIfAbsent(grants, globs -> toolbox(named, new ToolGrants(globs)));
    }

    private Toolbox toolbox(List<GuestTool> named, ToolGrants grants) {
        return Toolbox.of(named, tool -> grants.allows(new ToolName(tool.backend(), tool.tool())), modules);
    }
}
