package org.sallyport.connector;

import org.sallyport.catalog.ToolDefinition;
import org.sallyport.secret.Redactor;
import org.sallyport.secret.ToolResultRedactor;

/** What a server that was given secrets says of its tools, without them. */
final class ToolMetadataRedactor {
    private ToolMetadataRedactor() {}

    static ToolDefinition redact(ToolDefinition tool, Redactor redaction) {
        return redaction.isEmpty()
                ? tool
                : new ToolDefinition(
                        tool.name(),
                        tool.originalName(),
                        redaction.redact(tool.description()),
                        ToolResultRedactor.redact(tool.inputSchema(), redaction),
                        tool.outputSchema().map(schema -> ToolResultRedactor.redact(schema, redaction)),
                        tool.hints());
    }
}
