package org.sallyport.capability;

import java.util.Optional;

/** What was published, by name and by version or alias. Thread-safe. */
public final class CapabilityResolver {
    private final CapabilityStore store;

    public CapabilityResolver(CapabilityStore store) {
        this.store = store;
    }

    /** The version that a version or an alias names. Waits for the store. */
    public Optional<Capability> find(String tenant, String name, String version) {
        return SemanticVersion.parse(version)
                .or(() -> CapabilityVersionSummary.resolveAlias(version, store.listVersions(tenant, name))
                        .map(CapabilityVersionSummary::version))
                .flatMap(exact -> store.find(tenant, name, exact));
    }
}
