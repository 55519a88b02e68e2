package org.sallyport.capability;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;

/**
 * A published version as it was when it was read.
 *
 * @param name its name
 * @param version its version
 * @param definition what it is
 * @param hash of its content, as it was when it was published
 * @param contract hashes of the schemas that the tools it names had when it was published, by their names; they are no part of its content
 * @param publisher id of the API key that published it
 * @param testRun the execution that ran its tests, if it has any
 * @param publishedAt when it was published
 * @param deprecation why it is not to be used any more, if so
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
     * That it is not to be used any more.
     *
     * @param reason for people; may be empty
     * @param at since when
     */
    public record CapabilityDeprecation(String reason, Instant at) {}

    /** What an execution of it is known by. */
    public CapabilityRef ref() {
        return new CapabilityRef(name, version.toString());
    }

    /** Whether its content is still what was published. */
    public boolean isIntact() {
        return definition.hash(name, version).equals(hash);
    }
}
