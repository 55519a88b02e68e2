package org.sallyport.server;

import java.util.Optional;
import java.util.function.Function;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Finds tools as declared now; those of configured backends include pending definitions. */
final class DeclaredToolLookup implements CapabilityContractChecker.ToolSpecLookup {
    private final Services services;
    private final CapabilityToolProvider capabilities;

    DeclaredToolLookup(Services rooms) {
        this.services = rooms;
        this.capabilities = new CapabilityToolProvider(new CapabilityResolver(rooms.capabilities()));
    }

    @Override
    public Optional<ToolSpec> findCurrent(String tenant, ToolName name) {
        return tool(tenant, name, tool -> tool.pending().orElse(tool.definition()));
    }

    @Override
    public Optional<ToolSpec> findAccepted(String tenant, ToolName name) {
        return tool(tenant, name, PinnedToolDefinition::definition);
    }

    private Optional<ToolSpec> tool(
            String tenant, ToolName name, Function<PinnedToolDefinition, ToolDefinition> definition) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return capabilities.find(tenant, name.tool()).map(CatalogTool::spec);
        }
        // While a backend is connected or removed, only the catalog may know its tools; it has the accepted
        // definitions.
        Optional<PinnedToolDefinition> pinned = services.backends().tools(name.backend()).stream()
                .filter(tool -> tool.name().equals(name.tool()))
                .findFirst();
        return pinned.isPresent()
                ? pinned.filter(PinnedToolDefinition::available).map(tool -> spec(name, definition.apply(tool)))
                : services.catalog().find(name).map(CatalogTool::spec);
    }

    private static ToolSpec spec(ToolName name, ToolDefinition tool) {
        return new ToolSpec(name, tool.description(), tool.inputSchema(), tool.outputSchema(), tool.hints());
    }
}
