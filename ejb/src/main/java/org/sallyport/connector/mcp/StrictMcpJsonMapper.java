package org.sallyport.connector.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.IOException;
import java.util.Map;

/**
 * JSON mapper of the SDK that parses strictly. If a response is rejected but its id can be found, it is replaced by an
 * error response to the same request: if the line were dropped, the caller would wait for its timeout. Responses are
 * read as they came. Thread-safe.
 */
final class StrictMcpJsonMapper implements McpJsonMapper {
    /** Reserved by JSON-RPC, and not used by servers. */
    static final int UNREADABLE_CODE = -32_768;
    /** Code of the error that replaces a response that is too long; reserved by JSON-RPC, and not used by servers. */
    static final int TOO_LONG_CODE = -32_767;

    private final ObjectMapper json;
    private final McpJsonMapper strict;

    StrictMcpJsonMapper(ObjectMapper strict) {
        this.json = strict;
        this.strict = new JacksonMcpJsonMapper(strict);
    }

    /** Returns the error that replaces a response that is too long. */
    static JSONRPCResponse tooLongResponse(Object id, String message) {
        return JSONRPCResponse.error(id, new JSONRPCResponse.JSONRPCError(TOO_LONG_CODE, message));
    }

    /** Returns the error that replaces a response that is not accepted. */
    static JSONRPCResponse unreadableResponse(Object id, String message) {
        return JSONRPCResponse.error(id, new JSONRPCResponse.JSONRPCError(UNREADABLE_CODE, message));
    }

    @Override
    public <T> T readValue(String content, TypeRef<T> type) throws IOException {
        try {
            return strict.readValue(content, type);
        } catch (JsonProcessingException e) {
            return strict.readValue(errorResponse(content, e), type);
        }
    }

    /** @throws JsonProcessingException the given {@code parseError}, if {@code content} is no response to a request */
    private String errorResponse(String content, JsonProcessingException parseError) throws JsonProcessingException {
        String id = ResponseIdScanner.findResponseId(content).orElse(null);
        if (id == null) {
            throw parseError;
        }
        ObjectNode answer = json.createObjectNode().put("jsonrpc", "2.0").put("id", id);
        answer.putObject("error").put("code", UNREADABLE_CODE).put("message", parseError.getOriginalMessage());
        return answer.toString();
    }

    @Override
    public <T> T readValue(String content, Class<T> type) throws IOException {
        return strict.readValue(content, type);
    }

    @Override
    public <T> T readValue(byte[] content, Class<T> type) throws IOException {
        return strict.readValue(content, type);
    }

    @Override
    public <T> T readValue(byte[] content, TypeRef<T> type) throws IOException {
        return strict.readValue(content, type);
    }

    @Override
    public <T> T convertValue(Object value, Class<T> type) {
        return type == JSONRPCResponse.class && value instanceof Map<?, ?> message
                ? type.cast(RawResponses.readResponse(message))
                : strict.convertValue(value, type);
    }

    @Override
    public <T> T convertValue(Object value, TypeRef<T> type) {
        return strict.convertValue(value, type);
    }

    @Override
    public String writeValueAsString(Object value) throws IOException {
        return strict.writeValueAsString(value);
    }

    @Override
    public byte[] writeValueAsBytes(Object value) throws IOException {
        return strict.writeValueAsBytes(value);
    }
}
