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
 * What scripts find, by their grants. The same object for the same grants as long as the catalog stays: a worker is sent each
 * one once. Thread-safe.
 */
public final class ToolboxCache {
    /** More sets of grants than this are no use to remember. */
    private static final int MAX_ENTRIES = 1_000;

    private final ToolCatalog catalog;
    private final List<LibraryModule> modules;
    private volatile ToolboxSnapshot snapshot = new ToolboxSnapshot(List.of());

    /** @param guestTools the same tools, named before some of them are left out: a name means one tool, whatever is granted */
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

    /** @param modules what every script may import */
    public ToolboxCache(ToolCatalog catalog, List<LibraryModule> modules) {
        this.catalog = catalog;
        this.modules = List.copyOf(modules);
    }

    /** What a script with these grants finds. */
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
