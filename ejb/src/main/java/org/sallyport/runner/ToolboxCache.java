package org.sallyport.runner;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
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
    private volatile ToolboxSnapshot snapshot = new ToolboxSnapshot(List.of(), List.of());

    /**
     * @param notHosted tools that this node cannot call; scripts see them, so that a call fails with that reason
     * @param guestTools all these tools with their identifiers, assigned before filtering, so that an identifier means
     *     the same tool under all grants
     */
    private record ToolboxSnapshot(
            List<CatalogTool> tools,
            List<ToolName> notHosted,
            List<GuestTool> guestTools,
            Map<List<String>, Toolbox> byGrants) {
        ToolboxSnapshot(List<CatalogTool> tools, List<ToolName> notHosted) {
            this(
                    tools,
                    notHosted,
                    ToolIdentifiers.withIdentifiers(Stream.concat(
                                    tools.stream()
                                            .map(tool -> guestTool(
                                                    tool.spec().name(),
                                                    tool.description().text())),
                                    notHosted.stream().map(name -> guestTool(name, "Not hosted by this node.")))
                            .toList()),
                    new ConcurrentHashMap<>());
        }

        private static GuestTool guestTool(ToolName name, String description) {
            return new GuestTool(name.backend(), name.tool(), description);
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
        List<ToolName> notHosted = catalog.toolsNotHosted();
        ToolboxSnapshot present = snapshot;
        if (present.tools() != tools
                || present.notHosted() != notHosted
                || present.byGrants().size() > MAX_ENTRIES) {
            present = new ToolboxSnapshot(tools, notHosted);
            snapshot = present;
        }
        List<GuestTool> named = present.guestTools();
        return present.byGrants().computeIfAbsent(grants, globs -> toolbox(named, new ToolGrants(globs)));
    }

    private Toolbox toolbox(List<GuestTool> named, ToolGrants grants) {
        return Toolbox.of(named, tool -> grants.allows(new ToolName(tool.backend(), tool.tool())), modules);
    }
}
