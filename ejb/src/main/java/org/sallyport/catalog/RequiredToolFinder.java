package org.sallyport.catalog;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.tool.ToolName;

/**
 * Looks up required tools in the catalog of this node, and those that are not there in the store, which knows the
 * backends of all nodes. Asks the store at most once for all capabilities and once for all backends. Thread-safe.
 */
public final class RequiredToolFinder implements RequiredToolCheck {
    private static final int MAX_TOOLS = 200;

    private final ToolCatalog catalog;
    private final BackendStore backends;
    private final CapabilityStore capabilities;

    public RequiredToolFinder(ToolCatalog catalog, BackendStore backends, CapabilityStore capabilities) {
        this.catalog = catalog;
        this.backends = backends;
        this.capabilities = capabilities;
    }

    @Override
    public List<MissingTool> findMissing(String tenant, List<String> tools) {
        Map<String, ToolName> wanted = new LinkedHashMap<>();
        Set<String> capabilityNames = new TreeSet<>();
        Set<String> backendNames = new TreeSet<>();
        for (String each : tools.subList(0, Math.min(tools.size(), MAX_TOOLS))) {
            CapabilityContractChecker.parseToolName(each).ifPresent(name -> {
                if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
                    wanted.put(each, name);
                    capabilityNames.add(name.tool());
                } else if (catalog.find(name).isEmpty()) {
                    wanted.put(each, name);
                    backendNames.add(name.backend());
                }
            });
        }
        Set<String> stable =
                capabilityNames.isEmpty() ? Set.of() : capabilities.findStableNames(tenant, capabilityNames);
        Map<String, Set<String>> declared =
                backendNames.isEmpty() ? Map.of() : backends.findDeclaredNames(backendNames);
        List<MissingTool> missing = new ArrayList<>();
        wanted.forEach((text, name) -> reasonIfMissing(name, stable, declared)
                .ifPresent(reason -> missing.add(new MissingTool(text, name.backend(), reason))));
        return missing;
    }

    private Optional<String> reasonIfMissing(ToolName name, Set<String> stable, Map<String, Set<String>> declared) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return stable.contains(name.tool())
                    ? Optional.empty()
                    : Optional.of("no version of the capability '" + name.tool()
                            + "' is published that is neither deprecated nor a pre-release");
        }
        Set<String> names = declared.get(name.backend());
        if (names == null && !catalog.hasBackend(name.backend())) {
            return Optional.of("there is no backend '" + name.backend() + "'");
        }
        // A backend that declares no tool has not declared its tools yet, or is starting.
        return names != null && (names.isEmpty() || names.contains(name.tool()))
                ? Optional.empty()
                : Optional.of("the backend '" + name.backend() + "' has no tool '" + name.tool() + "'");
    }
}
