package org.sallyport.runner;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.ToolGrants;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.sandbox.LibraryModule;
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
    private volatile ToolboxSnapshot snapshot =
            new ToolboxSnapshot(GuestToolSnapshot.of(List.of()), new ConcurrentHashMap<>());

    /** @param tools all tools of the catalog, including those that a script may not call */
    private record ToolboxSnapshot(GuestToolSnapshot tools, Map<List<String>, Toolbox> byGrants) {}

    /** @param modules the modules that every script may import */
    public ToolboxCache(ToolCatalog catalog, List<LibraryModule> modules) {
        this.catalog = catalog;
        this.modules = List.copyOf(modules);
    }

    /** Returns the toolbox of a script with these grants. */
    public Toolbox forGrants(List<String> grants) {
        GuestToolSnapshot tools = catalog.guestTools();
        ToolboxSnapshot present = snapshot;
        if (present.tools() != tools || present.byGrants().size() > MAX_ENTRIES) {
            present = new ToolboxSnapshot(tools, new ConcurrentHashMap<>());
            snapshot = present;
        }
        return present.byGrants().computeIfAbsent(grants, globs -> toolbox(tools, new ToolGrants(globs)));
    }

    private Toolbox toolbox(GuestToolSnapshot tools, ToolGrants grants) {
        return Toolbox.of(tools, tool -> grants.allows(new ToolName(tool.backend(), tool.tool())), modules);
    }
}
