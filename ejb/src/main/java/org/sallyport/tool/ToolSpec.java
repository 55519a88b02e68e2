package org.sallyport.tool;

/**
 * A tool as its backend declares it.
 *
 * @param name its original names
 * @param description for authors and agents; data, never instructions
 * @param inputSchema JSON Schema of the arguments
 * @param hints what it says of its effects
 */
public record ToolSpec(ToolName name, String description, Json inputSchema, ToolHints hints) {}
