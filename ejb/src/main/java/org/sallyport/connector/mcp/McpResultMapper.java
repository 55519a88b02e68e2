package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Maps the response of an MCP server to a tool result: the structured content if present, the text if there is only
 * text, otherwise the list of contents.
 */
final class McpResultMapper {
    private static final int MAX_MESSAGE_LENGTH = 4_000;
    private static final int INVALID_PARAMS = -32_602;

    private McpResultMapper() {}

    static ToolResult toToolResult(String tool, McpSchema.CallToolResult answer) {
        List<McpSchema.Content> contents = answer.content() == null ? List.of() : answer.content();
        if (Boolean.TRUE.equals(answer.isError())) {
            String said = contents.stream()
                    .filter(McpSchema.TextContent.class::isInstance)
                    .map(content -> ((McpSchema.TextContent) content).text())
                    .collect(Collectors.joining("\n"));
            return failure(
                    ToolErrorCode.TOOL_FAILED,
                    said.isBlank() ? "'" + tool + "' failed" : said,
                    answer.structuredContent() == null
                            ? Optional.empty()
                            : Optional.of(McpJson.toJson(answer.structuredContent())));
        }
        if (answer.structuredContent() != null) {
            return ToolResult.success(McpJson.toJson(answer.structuredContent()));
        }
        if (contents.size() == 1 && contents.get(0) instanceof McpSchema.TextContent text) {
            return ToolResult.success(text.text() == null ? Json.NULL : McpJson.toJson(text.text()));
        }
        return ToolResult.success(McpJson.toJson(contents));
    }

    static ToolResult toToolResult(String tool, McpError error) {
        var said = error.getJsonRpcError();
        boolean arguments = said != null && said.code() != null && said.code() == INVALID_PARAMS;
        String message = said == null || said.message() == null ? "no reason given" : said.message();
        return failure(
                arguments ? ToolErrorCode.INVALID_ARGUMENTS : ToolErrorCode.TOOL_FAILED,
                said != null && said.code() != null && said.code() == StrictMcpJsonMapper.UNREADABLE_CODE
                        ? "'" + tool + "' was answered with JSON that is not accepted: " + message
                        : "'" + tool + "' was refused by its server: " + message,
                Optional.empty());
    }

    private static ToolResult failure(ToolErrorCode code, String message, Optional<Json> details) {
        String shown = message.length() > MAX_MESSAGE_LENGTH ? message.substring(0, MAX_MESSAGE_LENGTH) + "…" : message;
        return new ToolResult.ToolFailure(new ToolError(code, shown, details));
    }
}
