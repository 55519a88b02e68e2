package org.sallyport.catalog;

import org.sallyport.tool.ToolSpec;

/**
 * A tool, ready to be called.
 *
 * @param spec what its backend declares
 * @param backend where it lives
 * @param schema checks arguments
 */
public record CatalogTool(ToolSpec spec, Backend backend, ArgumentSchema schema) {}
