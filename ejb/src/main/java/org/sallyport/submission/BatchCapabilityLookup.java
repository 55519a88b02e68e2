package org.sallyport.submission;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityVersionSummary;

/**
 * Finds the capabilities that the items of one batch name. Resolves each alias to a version once, so validation and
 * storage of all items use the same version even if another one is published meanwhile. Not thread-safe.
 */
final class BatchCapabilityLookup {
    /** Capabilities may be large, and a batch may name thousands of them. */
    private static final int MAX_CACHED = 32;

    private final BiFunction<String, String, Optional<Capability>> store;
    private final Map<CapabilityKey, Optional<String>> versions = new HashMap<>();
    private final Map<CapabilityKey, Optional<Capability>> found = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CapabilityKey, Optional<Capability>> eldest) {
            return size() > MAX_CACHED;
        }
    };

    private record CapabilityKey(String name, String version) {}

    /** @param store finds a published capability by name and by version or alias */
    BatchCapabilityLookup(BiFunction<String, String, Optional<Capability>> store) {
        this.store = store;
    }

    /**
     * Returns the capability that {@code call} names; empty when there is none. Without a version the alias
     * {@code stable} counts.
     */
    Optional<Capability> find(RunCapabilityRequest call) {
        return found.computeIfAbsent(
                new CapabilityKey(call.name(), call.version().orElse(CapabilityVersionSummary.STABLE)), this::lookUp);
    }

    private Optional<Capability> lookUp(CapabilityKey named) {
        Optional<String> known = versions.get(named);
        if (known != null) {
            return known.flatMap(version -> store.apply(named.name(), version));
        }
        Optional<Capability> capability = store.apply(named.name(), named.version());
        versions.put(named, capability.map(one -> one.ref().version()));
        return capability;
    }
}
