package org.sallyport.catalog;

import java.util.Map;
import java.util.Optional;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Provides the published capabilities of a tenant as tools for its scripts. Thread-safe. */
public final class CapabilityToolProvider {
    /** The backend name of capabilities; it is reserved, so no configured backend can have it. */
    public static final String BACKEND = "capabilities";

    private static final int MAX_CACHED = 500;
    private static final long MAX_CACHED_BYTES = 16L << 20;

    private static final CatalogBackend CAPABILITY_BACKEND = new CatalogBackend(BACKEND, "capability", "");
    private static final Json ANY_SCHEMA = new Json("{}");

    private final CapabilityResolver resolver;
    /** By content hash, so that entries never change. */
    private final Map<String, CatalogTool> cache = BoundedCaches.ofBytes(
            MAX_CACHED,
            MAX_CACHED_BYTES,
            (hash, tool) ->
                    BoundedCaches.parsedJsonBytes(tool.description().text().length()));

    public CapabilityToolProvider(CapabilityResolver published) {
        this.resolver = published;
    }

    /** Returns the stable version of the capability as a tool; empty when there is none. Waits for the store. */
    public Optional<CatalogTool> find(String tenant, String name) {
        return resolver.find(tenant, name, CapabilityVersionSummary.STABLE).map(found -> toCatalogTool(found));
    }

    private CatalogTool toCatalogTool(Capability capability) {
        return cache.computeIfAbsent(capability.hash(), hash -> CatalogTool.of(spec(capability), CAPABILITY_BACKEND));
    }

    /** Idempotent: a call that is repeated under the same call id runs once. */
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
