package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Maps the response of an MCP server to a tool result: the structured content if there is any, the text if the content
 * is one text without unusual members, otherwise the contents as they came, with members and kinds that the protocol
 * does not know. An answer that was read is never an unknown outcome.
 */
final class McpResultMapper {
    private static final int MAX_MESSAGE_LENGTH = 4_000;
    private static final int INVALID_PARAMS = -32_602;
    private static final String CONTENT = "content";
    private static final String STRUCTURED_CONTENT = "structuredContent";
    private static final String TEXT = "text";
    /** Members of a result that are no value of their own. */
    private static final Set<String> PROTOCOL_MEMBERS = Set.of(CONTENT, STRUCTURED_CONTENT, "isError", "_meta");

    private static final String ANNOTATIONS = "annotations";
    /** Members of a text that tell a client how to show it. */
    private static final Set<String> TEXT_MEMBERS = Set.of("type", TEXT, ANNOTATIONS, "_meta");

    private static final Set<String> ANNOTATION_MEMBERS = Set.of("audience", "priority", "lastModified");

    private static final Json NO_CONTENTS = new Json("[]");

    private McpResultMapper() {}

    /** @param result the result of {@code tools/call} as it came */
    static ToolResult ofResult(String tool, Object result) {
        if (!(result instanceof Map<?, ?> members)) {
            return failure(
                    ToolErrorCode.TOOL_FAILED,
                    "'" + tool + "' was answered with a result that is no object",
                    Optional.of(McpJson.toJson(Map.of("result", result))));
        }
        Object content = members.get(CONTENT);
        Object structured = members.get(STRUCTURED_CONTENT);
        if (McpJson.isTrue(members.get("isError"))) {
            return toFailure(tool, content, structured);
        }
        if (structured != null) {
            return ToolResult.success(McpJson.toJson(structured));
        }
        if (content == null) {
            return ToolResult.success(
                    PROTOCOL_MEMBERS.containsAll(members.keySet()) ? NO_CONTENTS : McpJson.toJson(members));
        }
        return ToolResult.success(toValue(content));
    }

    private static Json toValue(Object content) {
        if (content instanceof List<?> contents
                && contents.size() == 1
                && contents.get(0) instanceof Map<?, ?> only
                && isPlainText(only)) {
            Object text = only.get(TEXT);
            return text == null ? Json.NULL : McpJson.toJson(text);
        }
        return McpJson.toJson(content);
    }

    /** Whether a content is a text; its text may be null. */
    private static boolean isText(Map<?, ?> content) {
        Object text = content.get(TEXT);
        return TEXT.equals(content.get("type"))
                && content.containsKey(TEXT)
                && (text == null || text instanceof String);
    }

    /** Whether a content is a text that has only members of the protocol, and of its annotations only known ones. */
    private static boolean isPlainText(Map<?, ?> content) {
        return isText(content)
                && TEXT_MEMBERS.containsAll(content.keySet())
                && isKnownAnnotations(content.get(ANNOTATIONS));
    }

    private static boolean isKnownAnnotations(@Nullable Object given) {
        return given == null
                || given instanceof Map<?, ?> annotations
                        && ANNOTATION_MEMBERS.containsAll(annotations.keySet())
                        && isKnownAudience(annotations.get("audience"))
                        && isKnownPriority(annotations.get("priority"))
                        && isTextOrAbsent(annotations.get("lastModified"));
    }

    private static boolean isKnownAudience(@Nullable Object given) {
        return given == null
                || given instanceof List<?> audience
                        && audience.stream().allMatch(role -> "user".equals(role) || "assistant".equals(role));
    }

    private static boolean isKnownPriority(@Nullable Object given) {
        return given == null
                || given instanceof Number priority && priority.doubleValue() >= 0 && priority.doubleValue() <= 1;
    }

    private static boolean isTextOrAbsent(@Nullable Object given) {
        return given == null || given instanceof String;
    }

    private static ToolResult toFailure(String tool, @Nullable Object content, @Nullable Object structured) {
        List<?> contents = content instanceof List<?> list
                ? list
                : Stream.ofNullable(content).toList();
        String said = contents.stream().flatMap(McpResultMapper::texts).collect(Collectors.joining("\n"));
        boolean onlyPlainTexts = contents.stream().allMatch(one -> one instanceof Map<?, ?> map && isPlainText(map));
        Optional<Json> details;
        if (onlyPlainTexts && (structured != null || said.length() <= MAX_MESSAGE_LENGTH)) {
            details = Optional.ofNullable(structured).map(McpJson::toJson);
        } else {
            Map<String, Object> all = new LinkedHashMap<>();
            putPresent(all, CONTENT, content);
            putPresent(all, STRUCTURED_CONTENT, structured);
            details = Optional.of(McpJson.toJson(all));
        }
        return failure(ToolErrorCode.TOOL_FAILED, said.isBlank() ? "'" + tool + "' failed" : said, details);
    }

    private static Stream<String> texts(@Nullable Object content) {
        Object text = content instanceof Map<?, ?> members && isText(members) ? members.get(TEXT) : content;
        return text instanceof String said ? Stream.of(said) : Stream.empty();
    }

    private static void putPresent(Map<String, Object> members, String name, @Nullable Object value) {
        if (value != null) {
            members.put(name, value);
        }
    }

    /** @param error the JSON-RPC error with which a server answered {@code tools/call} */
    static ToolResult ofError(String tool, McpError error) {
        var said = error.getJsonRpcError();
        if (said == null) {
            return failure(ToolErrorCode.TOOL_FAILED, "'" + tool + "' was refused by its server", Optional.empty());
        }
        int code = said.code();
        return switch (code) {
            case StrictMcpJsonMapper.UNREADABLE_CODE ->
                failure(
                        ToolErrorCode.TOOL_FAILED,
                        "'" + tool + "' was answered with JSON that is not accepted: " + said.message(),
                        Optional.empty());
            case StrictMcpJsonMapper.TOO_LONG_CODE ->
                failure(
                        ToolErrorCode.TOO_LARGE,
                        "the answer to '" + tool + "' is too long: " + said.message(),
                        Optional.empty());
            default ->
                failure(
                        code == INVALID_PARAMS ? ToolErrorCode.INVALID_ARGUMENTS : ToolErrorCode.TOOL_FAILED,
                        "'" + tool + "' was refused by its server: " + said.message(),
                        details(said.code(), said.data()));
        };
    }

    /** Code and data of a JSON-RPC error as they came. */
    private static Optional<Json> details(Object code, @Nullable Object data) {
        Map<String, Object> details = new LinkedHashMap<>();
        if (data instanceof RawResponses.RawError raw) {
            putPresent(details, "code", raw.code());
            putPresent(details, "data", raw.data());
        } else {
            putPresent(details, "code", code);
            putPresent(details, "data", data);
        }
        return details.isEmpty() ? Optional.empty() : Optional.of(McpJson.toJson(details));
    }

    private static ToolResult failure(ToolErrorCode code, String message, Optional<Json> details) {
        String shown =
                message.length() > MAX_MESSAGE_LENGTH ? PlainText.truncate(message, MAX_MESSAGE_LENGTH) + "…" : message;
        return new ToolResult.ToolFailure(new ToolError(code, shown, details));
    }
}
