package org.sallyport.execution;

import java.util.Optional;
import org.sallyport.tool.Json;

/**
 * What a capability means for the execution that runs it.
 *
 * @param ref which it is
 * @param outputSchema JSON Schema that the result must meet
 */
public record CapabilityBinding(CapabilityRef ref, Optional<Json> outputSchema) {}
