package org.sallyport.connector;

import org.sallyport.catalog.ToolDefinition;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;

/** What a server that was given secrets says of its tools, without them. */
final class Redacted {
    private Redacted() {}

    static ToolDefinition of(ToolDefinition tool, Redaction redaction) {
        return redaction.isEmpty()
                ? tool
                : new ToolDefinition(
                        tool.name(),
                        tool.original(),
                        redaction.of(tool.description()),
                        RedactedResult.of(tool.inputSchema(), redaction),
                        tool.outputSchema().map(schema -> RedactedResult.of(schema, redaction)),
                        tool.hints());
    }
}
