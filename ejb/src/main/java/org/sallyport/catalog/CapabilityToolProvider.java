package org.sallyport.catalog;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** What a tenant has published, as tools that its scripts call. Thread-safe. */
public final class CapabilityToolProvider {
    /** What they are called under; no backend can be named so. */
    public static final String BACKEND = "capabilities";

    /** More are forgotten all at once: compiling one takes a moment only. */
    private static final int MAX_CACHED = 500;

    private static final CatalogBackend CAPABILITY_BACKEND = new CatalogBackend(BACKEND, "capability", "");
    private static final Json ANY_SCHEMA = new Json("{}");

    private final CapabilityResolver resolver;
    /** By hash: what a hash stands for never changes. */
    private final Map<String, CatalogTool> cache = new ConcurrentHashMap<>();

    public CapabilityToolProvider(CapabilityResolver published) {
        this.resolver = published;
    }

    /** The capability of that name that is for everybody, as a tool. Waits for the store. */
    public Optional<CatalogTool> find(String tenant, String name) {
        return resolver.find(tenant, name, CapabilityVersionSummary.STABLE).map(found -> toCatalogTool(found));
    }

    private CatalogTool toCatalogTool(Capability capability) {
        if (cache.size() >= MAX_CACHED) {
            cache.clear();
        }
        return cache.computeIfAbsent(capability.hash(), hash -> CatalogTool.of(spec(capability), CAPABILITY_BACKEND));
    }

    /** Asked for twice under one call id it runs once. */
    private static ToolSpec spec(Capability capability) {
        CapabilityDefinition content = capability.definition();
        return new ToolSpec(
                new ToolName(BACKEND, capability.name()),
                content.description(),
                content.inputSchema().orElse(ANY_SCHEMA),
                content.outputSchema(),
                ToolHints.IDEMPOTENT);
    }
}
