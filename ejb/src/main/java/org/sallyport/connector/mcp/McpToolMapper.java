package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** Maps the tools that an MCP server declares to tool definitions. */
final class McpToolMapper {
    private static final int MAX_DESCRIPTION_LENGTH = 65_536;
    private static final Json ANY_OBJECT_SCHEMA = new Json("{\"type\":\"object\"}");

    private McpToolMapper() {}

    /** Of several tools with the same name, the first is used. */
    static List<ToolDefinition> toDefinitions(List<McpSchema.Tool> declared) {
        Map<String, McpSchema.Tool> tools = new LinkedHashMap<>();
        declared.stream()
                .filter(tool -> tool.name() != null && !tool.name().isEmpty())
                .forEach(tool -> tools.putIfAbsent(tool.name(), tool));
        return tools.values().stream().map(McpToolMapper::definition).toList();
    }

    private static ToolDefinition definition(McpSchema.Tool tool) {
        String description = Optional.ofNullable(tool.description())
                .or(() -> Optional.ofNullable(tool.title()))
                .orElse("");
        return new ToolDefinition(
                tool.name(),
                tool.name(),
                description.substring(0, Math.min(description.length(), MAX_DESCRIPTION_LENGTH)),
                tool.inputSchema() == null || tool.inputSchema().isEmpty()
                        ? ANY_OBJECT_SCHEMA
                        : McpJson.toJson(tool.inputSchema()),
                Optional.ofNullable(tool.outputSchema())
                        .filter(schema -> !schema.isEmpty())
                        .map(McpJson::toJson),
                hints(tool.annotations()));
    }

    private static ToolHints hints(McpSchema.ToolAnnotations said) {
        if (said == null) {
            return ToolHints.EFFECT;
        }
        boolean readOnly = Boolean.TRUE.equals(said.readOnlyHint());
        return new ToolHints(
                readOnly,
                readOnly || Boolean.TRUE.equals(said.idempotentHint()),
                !readOnly && Boolean.TRUE.equals(said.destructiveHint()));
    }
}
