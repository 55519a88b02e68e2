package org.sallyport.runner;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.policy.Grants;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.tool.ToolName;

/**
 * What scripts find, by their grants. The same object for the same grants as long as the catalog stays: a worker is sent each
 * one once. Thread-safe.
 */
public final class Toolboxes {
    /** More sets of grants than this are no use to remember. */
    private static final int MOST = 1_000;

    private final Catalog catalog;
    private final List<LibraryModule> modules;
    private volatile Known known = new Known(List.of());

    /** @param named the same tools, named before some of them are left out: a name means one tool, whatever is granted */
    private record Known(List<CatalogTool> tools, List<GuestTool> named, Map<List<String>, Toolbox> byGrants) {
        Known(List<CatalogTool> tools) {
            this(
                    tools,
                    ToolIdentifiers.given(tools.stream()
                            .map(tool -> new GuestTool(
                                    tool.spec().name().backend(),
                                    tool.spec().name().tool(),
                                    tool.about().text()))
                            .toList()),
                    new ConcurrentHashMap<>());
        }
    }

    /** @param modules what every script may import */
    public Toolboxes(Catalog catalog, List<LibraryModule> modules) {
        this.catalog = catalog;
        this.modules = List.copyOf(modules);
    }

    /** What a script with these grants finds. */
    public Toolbox of(List<String> grants) {
        List<CatalogTool> tools = catalog.all();
        Known present = known;
        if (present.tools() != tools || present.byGrants().size() > MOST) {
            present = new Known(tools);
            known = present;
        }
        List<GuestTool> named = present.named();
        return present.byGrants().computeIfAbsent(grants, globs -> toolbox(named, new Grants(globs)));
    }

    private Toolbox toolbox(List<GuestTool> named, Grants grants) {
        return Toolbox.of(named, tool -> grants.allows(new ToolName(tool.backend(), tool.tool())), modules);
    }
}
