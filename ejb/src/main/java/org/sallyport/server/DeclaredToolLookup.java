package org.sallyport.server;

import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * Finds tools as declared now, also those of backends that only other nodes host. Those of configured backends include
 * pending definitions.
 */
final class DeclaredToolLookup implements CapabilityContractChecker.ToolSpecLookup {
    private final Function<String, List<PinnedToolDefinition>> hostedTools;
    private final ToolCatalog catalog;
    private final BackendStore store;
    private final BiFunction<String, String, Optional<CatalogTool>> capabilities;

    /**
     * @param hostedTools returns the tools of a configured backend of this node; empty if this node does not host it
     * @param store has the tools of the backends of all nodes
     * @param capabilities returns a capability of a tenant as a tool
     */
    DeclaredToolLookup(
            Function<String, List<PinnedToolDefinition>> hostedTools,
            ToolCatalog catalog,
            BackendStore store,
            BiFunction<String, String, Optional<CatalogTool>> capabilities) {
        this.hostedTools = hostedTools;
        this.catalog = catalog;
        this.store = store;
        this.capabilities = capabilities;
    }

    @Override
    public Optional<ToolSpec> findCurrent(String tenant, ToolName name) {
        return tool(tenant, name, tool -> tool.pending().orElse(tool.definition()));
    }

    @Override
    public boolean needsStore(ToolName name) {
        return name.backend().equals(CapabilityToolProvider.BACKEND)
                || hostedTools.apply(name.backend()).isEmpty()
                        && catalog.find(name).isEmpty();
    }

    @Override
    public Optional<ToolSpec> findAccepted(String tenant, ToolName name) {
        return tool(tenant, name, PinnedToolDefinition::definition);
    }

    private Optional<ToolSpec> tool(
            String tenant, ToolName name, Function<PinnedToolDefinition, ToolDefinition> definition) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return capabilities.apply(tenant, name.tool()).map(CatalogTool::spec);
        }
        // While a backend is connected or removed, only the catalog may know its tools; it has the accepted
        // definitions.
        List<PinnedToolDefinition> hosted = hostedTools.apply(name.backend());
        Optional<PinnedToolDefinition> pinned =
                hosted.stream().filter(tool -> tool.name().equals(name.tool())).findFirst();
        if (pinned.isEmpty()) {
            Optional<ToolSpec> known = catalog.find(name).map(CatalogTool::spec);
            if (known.isPresent() || !hosted.isEmpty()) {
                return known;
            }
            // Another node may host the backend.
            pinned = store.findTool(name.backend(), name.tool());
        }
        return pinned.filter(PinnedToolDefinition::available).map(tool -> spec(name, definition.apply(tool)));
    }

    private static ToolSpec spec(ToolName name, ToolDefinition tool) {
        return new ToolSpec(name, tool.description(), tool.inputSchema(), tool.outputSchema(), tool.hints());
    }
}
