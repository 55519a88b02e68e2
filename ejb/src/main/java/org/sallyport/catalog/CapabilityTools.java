package org.sallyport.catalog;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityContent;
import org.sallyport.capability.Published;
import org.sallyport.capability.VersionSummary;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** What a tenant has published, as tools that its scripts call. Thread-safe. */
public final class CapabilityTools {
    /** What they are called under; no backend can be named so. */
    public static final String BACKEND = "capabilities";

    /** More are forgotten all at once: compiling one takes a moment only. */
    private static final int MOST = 500;

    private static final Backend HOME = new Backend(BACKEND, "capability", "");
    private static final Json ANYTHING = new Json("{}");

    private final Published published;
    /** By hash: what a hash stands for never changes. */
    private final Map<String, CatalogTool> known = new ConcurrentHashMap<>();

    public CapabilityTools(Published published) {
        this.published = published;
    }

    /** The capability of that name that is for everybody, as a tool. Waits for the store. */
    public Optional<CatalogTool> find(String tenant, String name) {
        return published.find(tenant, name, VersionSummary.STABLE).map(found -> known(found));
    }

    private CatalogTool known(Capability capability) {
        if (known.size() >= MOST) {
            known.clear();
        }
        return known.computeIfAbsent(capability.hash(), hash -> CatalogTool.of(spec(capability), HOME));
    }

    /** Asked for twice under one call id it runs once. */
    private static ToolSpec spec(Capability capability) {
        CapabilityContent content = capability.content();
        return new ToolSpec(
                new ToolName(BACKEND, capability.name()),
                content.description(),
                content.inputSchema().orElse(ANYTHING),
                content.outputSchema(),
                ToolHints.IDEMPOTENT);
    }
}
