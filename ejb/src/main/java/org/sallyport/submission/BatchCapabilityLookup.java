package org.sallyport.submission;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.tool.Json;

/**
 * Finds the capabilities that the items of one batch name. Resolves each alias to a version once, so validation and
 * storage of all items use the same version even if another one is published meanwhile. Not thread-safe.
 */
final class BatchCapabilityLookup {
    /** Capabilities may be large, and a batch may name thousands of them. */
    private static final int MAX_CACHED = 32;

    private static final long MAX_CACHED_BYTES = 8L << 20;

    private final BiFunction<String, String, Optional<Capability>> store;
    private final Map<CapabilityKey, Optional<String>> versions = new HashMap<>();
    private final Map<CapabilityKey, Optional<Capability>> found = BoundedCaches.ofBytes(
            MAX_CACHED,
            MAX_CACHED_BYTES,
            (key, capability) -> capability.map(one -> sizeOf(one.definition())).orElse(0L));

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

    private static long sizeOf(CapabilityDefinition content) {
        long chars = content.code().length() + content.description().length();
        return BoundedCaches.textBytes(Stream.of(
                        content.tests(),
                        content.inputSchema().map(Json::text),
                        content.outputSchema().map(Json::text))
                .mapToLong(text -> text.map(String::length).orElse(0))
                .reduce(chars, Long::sum));
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
