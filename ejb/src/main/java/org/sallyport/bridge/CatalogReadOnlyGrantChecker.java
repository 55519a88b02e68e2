package org.sallyport.bridge;

import java.util.List;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.ReadOnlyGrantChecker;
import org.sallyport.policy.ToolGrants;

/** Finds the tools in the catalog. Thread-safe. */
public final class CatalogReadOnlyGrantChecker implements ReadOnlyGrantChecker {
    private static final List<String> CAPABILITIES = List.of(CapabilityToolProvider.BACKEND + ".*");

    private final ToolCatalog catalog;

    public CatalogReadOnlyGrantChecker(ToolCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public boolean reachOnlyReadOnlyTools(List<String> grants) {
        if (!ToolGrants.intersection(grants, CAPABILITIES).isEmpty()) {
            return false;
        }
        List<CatalogTool> tools =
                catalog.all().stream().filter(tool -> tool.unusable().isEmpty()).toList();
        return grants.stream().allMatch(grant -> reachesOnlyReadOnlyTools(grant, tools));
    }

    private static boolean reachesOnlyReadOnlyTools(String grant, List<CatalogTool> tools) {
        ToolGrants granted = new ToolGrants(List.of(grant));
        List<CatalogTool> reached = tools.stream()
                .filter(tool -> granted.allows(tool.spec().name()))
                .toList();
        return !reached.isEmpty()
                && reached.stream().allMatch(tool -> tool.spec().hints().readOnly());
    }
}
