package org.sallyport.catalog;

import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * A tool, ready to be called.
 *
 * @param spec what its backend declares
 * @param backend where it lives
 * @param schema checks arguments
 * @param description what scripts and agents are told of it: {@code name}, {@code description}, {@code inputSchema}, {@code
 *     outputSchema}, the hints, and {@code declaration} (TypeScript)
 */
public record CatalogTool(ToolSpec spec, CatalogBackend backend, ArgumentSchema schema, Json description) {

    static CatalogTool of(ToolSpec spec, CatalogBackend backend) {
        return new CatalogTool(spec, backend, ArgumentSchema.compile(spec.inputSchema()), ToolDescription.of(spec));
    }
}
