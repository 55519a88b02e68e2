package org.sallyport.wiring;

import java.util.Optional;
import java.util.function.Function;
import org.sallyport.capability.Published;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.Contracts;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Tools as they are declared now: those of configured backends with what nobody has accepted yet. */
final class DeclaredTools implements Contracts.Declared {
    private final Rooms rooms;
    private final CapabilityTools capabilities;

    DeclaredTools(Rooms rooms) {
        this.rooms = rooms;
        this.capabilities = new CapabilityTools(new Published(rooms.capabilities()));
    }

    @Override
    public Optional<ToolSpec> now(String tenant, ToolName name) {
        return tool(tenant, name, tool -> tool.pending().orElse(tool.definition()));
    }

    @Override
    public Optional<ToolSpec> accepted(String tenant, ToolName name) {
        return tool(tenant, name, PinnedTool::definition);
    }

    private Optional<ToolSpec> tool(String tenant, ToolName name, Function<PinnedTool, ToolDefinition> definition) {
        if (name.backend().equals(CapabilityTools.BACKEND)) {
            return capabilities.find(tenant, name.tool()).map(CatalogTool::spec);
        }
        // While a backend comes or goes the catalog alone may know its tools: then what was accepted is told.
        Optional<PinnedTool> pinned = rooms.backends().tools(name.backend()).stream()
                .filter(tool -> tool.name().equals(name.tool()))
                .findFirst();
        return pinned.isPresent()
                ? pinned.filter(PinnedTool::present).map(tool -> spec(name, definition.apply(tool)))
                : rooms.catalog().find(name).map(CatalogTool::spec);
    }

    private static ToolSpec spec(ToolName name, ToolDefinition tool) {
        return new ToolSpec(name, tool.description(), tool.inputSchema(), tool.outputSchema(), tool.hints());
    }
}
