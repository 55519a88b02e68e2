package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * The capability that an execution runs.
 *
 * @param ref name and version
 * @param outputSchema JSON Schema that the result must satisfy
 * @param sandbox where it runs, if its publisher chose that
 */
public record CapabilityBinding(CapabilityRef ref, Optional<Json> outputSchema, Optional<CapabilitySandbox> sandbox) {
    /** Creates a binding that runs where the installation runs scripts. */
    public CapabilityBinding(CapabilityRef ref, Optional<Json> outputSchema) {
        this(ref, outputSchema, Optional.empty());
    }
}
