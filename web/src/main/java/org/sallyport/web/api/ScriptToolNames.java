package org.sallyport.web.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.sandbox.ToolNameMap;
import org.sallyport.sandbox.directcall.ReservedNames;
import org.sallyport.tool.ToolName;

/** Finds tools by the names that scripts use, independent of grants. Thread-safe. */
public final class ScriptToolNames {
    private static volatile @Nullable ScriptToolNames cached;

    private final ToolCatalog catalog;
    private final GuestToolSnapshot all;
    private final ToolNameMap names;

    private ScriptToolNames(ToolCatalog catalog, GuestToolSnapshot all) {
        this.catalog = catalog;
        this.all = all;
        names = ToolNameMap.of(all.toToolbox());
    }

    /** The names of all tools of {@code catalog}; cached until the catalog changes. */
    public static ScriptToolNames of(ToolCatalog catalog) {
        GuestToolSnapshot all = catalog.guestTools();
        ScriptToolNames known = cached;
        if (known == null || known.all != all) {
            known = new ScriptToolNames(catalog, all);
            cached = known;
        }
        return known;
    }

    /**
     * The expression by which a script calls the tool: its path, with the prefix {@code tools.} if a global has the
     * name of its backend.
     */
    public static String callExpression(CatalogTool tool) {
        return ReservedNames.isReserved(tool.backend().identifier()) ? "tools." + tool.path() : tool.path();
    }

    /** Finds a tool by each text by which a script can name it. */
    public Optional<CatalogTool> find(String name) {
        return names.findGranted(name).flatMap(tool -> catalog.find(new ToolName(tool.backend(), tool.tool())));
    }
}
