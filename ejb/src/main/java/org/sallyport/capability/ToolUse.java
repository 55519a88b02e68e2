package org.sallyport.capability;

import java.time.Instant;
import org.sallyport.execution.CapabilityRef;

/**
 * The use of a tool by an execution of a version.
 *
 * @param hash hash of the tool's input and output schema
 */
public record ToolUse(String tenant, CapabilityRef version, String tool, String hash, Instant at) {}
