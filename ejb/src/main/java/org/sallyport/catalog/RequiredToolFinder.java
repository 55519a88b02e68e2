package org.sallyport.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.tool.ToolName;

/**
 * Looks up required tools in the catalog of this node, and those that are not there in the store, which knows the
 * backends of all nodes. Thread-safe.
 */
public final class RequiredToolFinder implements RequiredToolCheck {
    private static final int MAX_TOOLS = 200;

    private final ToolCatalog catalog;
    private final BackendStore backends;
    private final CapabilityResolver capabilities;

    public RequiredToolFinder(ToolCatalog catalog, BackendStore backends, CapabilityResolver capabilities) {
        this.catalog = catalog;
        this.backends = backends;
        this.capabilities = capabilities;
    }

    @Override
    public List<MissingTool> findMissing(String tenant, List<String> tools) {
        List<MissingTool> missing = new ArrayList<>();
        for (String each : tools.subList(0, Math.min(tools.size(), MAX_TOOLS))) {
            Optional<ToolName> name = CapabilityContractChecker.parseToolName(each);
            name.flatMap(exact -> reasonIfMissing(tenant, exact))
                    .ifPresent(reason ->
                            missing.add(new MissingTool(each, name.get().backend(), reason)));
        }
        return missing;
    }

    private Optional<String> reasonIfMissing(String tenant, ToolName name) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return capabilities
                            .find(tenant, name.tool(), CapabilityVersionSummary.STABLE)
                            .isPresent()
                    ? Optional.empty()
                    : Optional.of("no version of the capability '" + name.tool()
                            + "' is published that is neither deprecated nor a pre-release");
        }
        if (catalog.find(name).isPresent()) {
            return Optional.empty();
        }
        boolean known = catalog.hasBackend(name.backend())
                || backends.find(name.backend()).isPresent();
        if (!known) {
            return Optional.of("there is no backend '" + name.backend() + "'");
        }
        List<PinnedToolDefinition> declared = backends.listTools(name.backend());
        // A backend that was never connected has not declared its tools yet.
        boolean possible = declared.isEmpty() && !catalog.hasBackend(name.backend())
                || declared.stream()
                        .anyMatch(tool -> tool.available() && tool.name().equals(name.tool()));
        return possible
                ? Optional.empty()
                : Optional.of("the backend '" + name.backend() + "' has no tool '" + name.tool() + "'");
    }
}
