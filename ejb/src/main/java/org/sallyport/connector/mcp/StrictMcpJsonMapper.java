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
 * Reads for the SDK by a strict mapper. An answer that this refuses and a lenient one can read becomes an error that answers
 * the same request: left away as a line that says nothing it would leave whoever asked waiting. Thread-safe.
 */
final class StrictMcpJsonMapper implements McpJsonMapper {
    /** JSON-RPC keeps it for itself, and no server has a use for it. */
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

    /** @throws JsonParseException the {@code fault} itself when {@code content} answers nothing */
    private String errorResponse(String content, JsonParseException fault) throws JsonParseException {
        JsonNode read;
        try {
            read = lenient.readTree(content);
        } catch (JsonProcessingException e) {
            throw fault;
        }
        if (!read.hasNonNull("id") || read.has("method")) {
            throw fault;
        }
        ObjectNode answer = lenient.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", read.get("id"));
        answer.putObject("error").put("code", UNREADABLE_CODE).put("message", fault.getOriginalMessage());
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
