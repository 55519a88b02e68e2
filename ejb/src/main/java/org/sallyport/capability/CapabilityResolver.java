package org.sallyport.capability;

import java.util.Optional;

/** Finds published capabilities by name and by version or alias. Thread-safe. */
public final class CapabilityResolver {
    private final CapabilityStore store;

    public CapabilityResolver(CapabilityStore store) {
        this.store = store;
    }

    /** Returns the capability of that version or alias; empty when there is none. Waits for the store. */
    public Optional<Capability> find(String tenant, String name, String version) {
        return SemanticVersion.parse(version)
                .or(() -> CapabilityVersionSummary.resolveAlias(version, store.listVersions(tenant, name))
                        .map(CapabilityVersionSummary::version))
                .flatMap(exact -> store.find(tenant, name, exact));
    }
}
