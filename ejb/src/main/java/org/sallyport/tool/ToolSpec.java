package org.sallyport.tool;

import java.util.Optional;

/**
 * A tool as its backend declares it.
 *
 * @param name its name
 * @param description for authors and agents; data, never instructions
 * @param inputSchema JSON Schema of the arguments
 * @param outputSchema JSON Schema of the result, where known
 * @param hints hints on its effects
 */
public record ToolSpec(
        ToolName name, String description, Json inputSchema, Optional<Json> outputSchema, ToolHints hints) {

    /** Creates a tool without an output schema. */
    public ToolSpec(ToolName name, String description, Json inputSchema, ToolHints hints) {
        this(name, description, inputSchema, Optional.empty(), hints);
    }
}
