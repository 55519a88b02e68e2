package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * The capability that an execution runs.
 *
 * @param ref name and version
 * @param outputSchema JSON Schema that the result must satisfy
 */
public record CapabilityBinding(CapabilityRef ref, Optional<Json> outputSchema) {}
