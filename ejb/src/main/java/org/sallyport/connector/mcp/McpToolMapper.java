package org.sallyport.connector.mcp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolHints;

/**
 * Maps a tool that an MCP server declares to a tool definition. Schemas are kept as they came. Another member that does
 * not have the type of the protocol is taken as absent, unless the tool cannot be called without it: such a tool is
 * unusable.
 */
final class McpToolMapper {
    private static final int MAX_DESCRIPTION_LENGTH = 65_536;
    private static final Json ANY_OBJECT_SCHEMA = new Json("{\"type\":\"object\"}");

    private McpToolMapper() {}

    /** Returns the definition; empty if the tool has no name. */
    static Optional<ToolDefinition> toDefinition(Object declared) {
        return declared instanceof Map<?, ?> tool && tool.get("name") instanceof String name && !name.isEmpty()
                ? Optional.of(toDefinition(name, tool))
                : Optional.empty();
    }

    private static ToolDefinition toDefinition(String name, Map<?, ?> tool) {
        String description =
                text(tool.get("description")).or(() -> text(tool.get("title"))).orElse("");
        Object inputSchema = tool.get("inputSchema");
        return new ToolDefinition(
                name,
                name,
                PlainText.truncate(description, MAX_DESCRIPTION_LENGTH),
                inputSchema == null || isUnrestricted(inputSchema) ? ANY_OBJECT_SCHEMA : McpJson.toJson(inputSchema),
                Optional.<Object>ofNullable(tool.get("outputSchema"))
                        .filter(schema -> !isUnrestricted(schema))
                        .map(McpJson::toJson),
                hints(object(tool.get("annotations"))),
                findProblem(tool, inputSchema));
    }

    private static Optional<String> findProblem(Map<?, ?> tool, @Nullable Object inputSchema) {
        if ("required".equals(object(tool.get("execution")).get("taskSupport"))) {
            return Optional.of("it can only be called as a task (execution.taskSupport is 'required'), and the service"
                    + " calls tools without tasks");
        }
        return inputSchema == null || inputSchema instanceof Map<?, ?> || isUnrestricted(inputSchema)
                ? Optional.empty()
                : Optional.of("its input schema is no JSON object");
    }

    /** Whether a schema accepts all values: an empty object, the schema {@code true}, or an empty list in its place. */
    private static boolean isUnrestricted(Object schema) {
        return Boolean.TRUE.equals(schema)
                || schema instanceof Map<?, ?> object && object.isEmpty()
                || schema instanceof List<?> list && list.isEmpty();
    }

    private static Optional<String> text(@Nullable Object value) {
        return value instanceof String text ? Optional.of(text) : Optional.empty();
    }

    private static Map<?, ?> object(@Nullable Object value) {
        return value instanceof Map<?, ?> object ? object : Map.of();
    }

    private static ToolHints hints(Map<?, ?> annotations) {
        boolean readOnly = McpJson.isTrue(annotations.get("readOnlyHint"));
        return new ToolHints(
                readOnly,
                readOnly || McpJson.isTrue(annotations.get("idempotentHint")),
                !readOnly && McpJson.isTrue(annotations.get("destructiveHint")));
    }
}
