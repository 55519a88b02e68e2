package org.sallyport.capability;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;

/**
 * Snapshot of a published version of a capability.
 *
 * @param name its name
 * @param version its version
 * @param definition its content
 * @param hash hash of its content when it was published
 * @param contract schema hashes of the tools that it names, at the time when it was published, by tool name; not part
 *     of its content
 * @param publisher id of the API key that published it
 * @param testRun the execution that ran its tests, if it has any
 * @param publishedAt when it was published
 * @param deprecation its deprecation, if it is deprecated
 */
public record Capability(
        String name,
        SemanticVersion version,
        CapabilityDefinition definition,
        String hash,
        Map<String, String> contract,
        String publisher,
        Optional<ExecutionId> testRun,
        Instant publishedAt,
        Optional<CapabilityDeprecation> deprecation) {
    public Capability {
        contract = Map.copyOf(contract);
    }

    /**
     * The deprecation of a version.
     *
     * @param reason for its users; may be empty
     * @param at when it was deprecated
     */
    public record CapabilityDeprecation(String reason, Instant at) {}

    /** Returns the reference that its executions carry. */
    public CapabilityRef ref() {
        return new CapabilityRef(name, version.toString());
    }

    /** Returns whether the stored content still matches the hash. */
    public boolean isIntact() {
        return definition.hash(name, version).equals(hash);
    }
}
