package org.sallyport.connector;

import org.sallyport.catalog.ToolDefinition;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;

/** Redacts the tool definitions declared by a server that was given secrets. */
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
                        tool.hints(),
                        tool.unusable().map(redaction::redact));
    }
}
