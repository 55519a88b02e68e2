package org.sallyport.catalog;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * A tool that can be called.
 *
 * @param spec the declaration of its backend
 * @param backend its backend
 * @param schema validates arguments
 * @param description the description for scripts and agents: {@code name}, {@code description}, {@code inputSchema},
 *     {@code outputSchema}, the hints, and {@code declaration} (TypeScript)
 * @param schemaHash hash of its input and output schema; empty when they are unreadable
 */
public record CatalogTool(
        ToolSpec spec, CatalogBackend backend, ArgumentSchema schema, Json description, Optional<String> schemaHash) {

    static CatalogTool of(ToolSpec spec, CatalogBackend backend) {
        return new CatalogTool(
                spec,
                backend,
                ArgumentSchema.compile(spec.inputSchema()),
                ToolDescription.of(spec),
                CapabilityContractChecker.tryHash(spec));
    }
}
