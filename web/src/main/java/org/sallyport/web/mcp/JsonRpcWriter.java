package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.sallyport.web.JsonUtf8Writer;

/** Encodes outgoing messages. Thread-safe. */
final class JsonRpcWriter {
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    static final McpJsonMapper SDK_MAPPER = new JacksonMcpJsonMapper(MAPPER);

    /**
     * Arguments are read member by member and results come from this service, so the SDK need not search for a
     * validator.
     */
    static final JsonSchemaValidator NO_VALIDATION =
            (schema, content) -> JsonSchemaValidator.ValidationResponse.asValid("");

    private static final byte[] EVENT_PREFIX = "event: message\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final String VERSION = "2.0";

    private JsonRpcWriter() {}

    /** Encodes a message as JSON. */
    static byte[] json(JSONRPCMessage message) {
        return JsonUtf8Writer.bytes(toTree(message));
    }

    /** Writes a message as JSON, without having its whole text in memory. */
    static void write(JSONRPCMessage message, OutputStream out) throws IOException {
        JsonUtf8Writer.write(toTree(message), out);
    }

    private static JsonNode toTree(JSONRPCMessage message) {
        return MAPPER.valueToTree(withoutInternalDetails(message));
    }

    /** Encodes a message as a server-sent event. */
    static byte[] event(JSONRPCMessage message) {
        byte[] json = json(message);
        for (int i = 0; i < json.length; i++) {
            // Line breaks occur only between tokens, because strings escape them; there any white space will do.
            if (json[i] == '\n' || json[i] == '\r') {
                json[i] = ' ';
            }
        }
        ByteArrayOutputStream event = new ByteArrayOutputStream(json.length + EVENT_PREFIX.length + 2);
        event.writeBytes(EVENT_PREFIX);
        event.writeBytes(json);
        event.writeBytes(new byte[] {'\n', '\n'});
        return event.toByteArray();
    }

    /**
     * Removes the details of internal errors. The SDK sends exception messages to clients; those of this service are
     * meant for the log, where the SDK also writes them.
     */
    private static JSONRPCMessage withoutInternalDetails(JSONRPCMessage message) {
        return message instanceof JSONRPCResponse response
                        && response.error() != null
                        && response.error().code() == ErrorCodes.INTERNAL_ERROR
                ? JSONRPCResponse.error(
                        response.id(),
                        new JSONRPCResponse.JSONRPCError(ErrorCodes.INTERNAL_ERROR, "the request could not be handled"))
                : message;
    }

    static byte[] error(JsonRpcException exception) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("jsonrpc", VERSION);
        json.putPOJO("id", exception.id());
        json.putObject("error").put("code", exception.code()).put("message", exception.getMessage());
        return JsonUtf8Writer.bytes(MAPPER.<JsonNode>valueToTree(json));
    }
}
