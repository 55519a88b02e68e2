package org.sallyport.connector.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Carries responses of servers through the SDK as they came. The SDK's own types reject or drop what they do not know:
 * kinds of contents, members of tools, codes of errors that are no integers of 32 bits. A result consists of maps,
 * lists, texts, numbers, truth values and nulls.
 */
final class RawResponses {
    private static final String LIST_RESULT = "result";
    private static final int OTHER_CODE = 0;
    private static final String NO_MESSAGE = "no reason given";

    private RawResponses() {}

    /**
     * An error of a response.
     *
     * @param code any JSON value; null if there is none
     * @param data any JSON value; null if there is none
     */
    record RawError(@Nullable Object code, @Nullable Object data) {
        /** Without the data: the SDK logs errors, and they may be long or contain secrets. */
        @Override
        public String toString() {
            return RawError.class.getSimpleName();
        }
    }

    /**
     * Reads a response. A result that is null is taken for an empty object, and a response with both an error and a
     * result for an error.
     *
     * @throws IllegalArgumentException if the id is neither a text nor an integer
     */
    static JSONRPCResponse readResponse(Map<?, ?> message) {
        Object id = message.get("id");
        Object result = message.get("result");
        Object error = message.get("error");
        if (id == null) {
            throw new IllegalArgumentException("the response has no id");
        }
        return error == null
                ? JSONRPCResponse.result(id, result == null ? Map.of() : result)
                : JSONRPCResponse.error(id, readError(error));
    }

    private static JSONRPCError readError(Object error) {
        if (!(error instanceof Map<?, ?> members)) {
            return new JSONRPCError(OTHER_CODE, toMessage(error), new RawError(null, null));
        }
        Object code = members.get("code");
        return new JSONRPCError(
                code instanceof Integer number ? number : OTHER_CODE,
                toMessage(members.get("message")),
                new RawError(code, members.get("data")));
    }

    private static String toMessage(@Nullable Object message) {
        if (message == null) {
            return NO_MESSAGE;
        }
        String text =
                message instanceof String said ? said : McpJson.toJson(message).text();
        return text.isBlank() ? NO_MESSAGE : text;
    }

    /**
     * Converts the result of a call or of a tool list to the SDK's type, which carries it, and that of a handshake to
     * what is used of it; empty for other types.
     */
    @SuppressWarnings("unchecked") // the type is compared
    static <T> Optional<T> carry(Object result, TypeRef<T> type) {
        if (type.getType() == McpSchema.CallToolResult.class) {
            return Optional.of((T) McpSchema.CallToolResult.builder(List.of())
                    .structuredContent(result)
                    .build());
        }
        if (type.getType() == McpSchema.ListToolsResult.class) {
            return Optional.of((T) McpSchema.ListToolsResult.builder(List.of())
                    .meta(Map.of(LIST_RESULT, result))
                    .build());
        }
        if (type.getType() == McpSchema.InitializeResult.class && result instanceof Map<?, ?> members) {
            return Optional.of((T) InitializeResultReader.read(members));
        }
        return Optional.empty();
    }

    /** Returns the result of a call as it came. */
    static Object result(McpSchema.CallToolResult carrier) {
        return carrier.structuredContent();
    }

    /** Returns the result of a request for the tool list as it came. */
    static Object result(McpSchema.ListToolsResult carrier) {
        return carrier.meta().getOrDefault(LIST_RESULT, Map.of());
    }
}
