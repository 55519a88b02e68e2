package org.sallyport.connector.mcp;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import java.io.IOException;

/**
 * JSON mapper of the SDK that parses strictly. If a response is rejected but can be parsed leniently, it is replaced by
 * an error response to the same request: if the line were dropped, the caller would wait for its timeout. Thread-safe.
 */
final class StrictMcpJsonMapper implements McpJsonMapper {
    /** Reserved by JSON-RPC, and not used by servers. */
    static final int UNREADABLE_CODE = -32_768;

    private final McpJsonMapper strict;
    private final ObjectMapper lenient;

    StrictMcpJsonMapper(ObjectMapper strict, ObjectMapper lenient) {
        this.strict = new JacksonMcpJsonMapper(strict);
        this.lenient = lenient;
    }

    @Override
    public <T> T readValue(String content, TypeRef<T> type) throws IOException {
        try {
            return strict.readValue(content, type);
        } catch (JsonParseException e) {
            return strict.readValue(errorResponse(content, e), type);
        }
    }

    /** @throws JsonParseException the given {@code parseError}, if {@code content} is not a response to a request */
    private String errorResponse(String content, JsonParseException parseError) throws JsonParseException {
        JsonNode read;
        try {
            read = lenient.readTree(content);
        } catch (JsonProcessingException e) {
            throw parseError;
        }
        if (!read.hasNonNull("id") || read.has("method")) {
            throw parseError;
        }
        ObjectNode answer = lenient.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", read.get("id"));
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
        return strict.convertValue(value, type);
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
