package org.sallyport.connector.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a line of a server: one JSON-RPC message, or a batch of them, which revision 2025-03-26 of MCP allows. */
final class McpMessageReader {
    static final int MAX_BATCH_SIZE = 1_000;
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final TypeRef<Object> ANY_JSON = new TypeRef<>() {};

    private McpMessageReader() {}

    /**
     * Returns the messages of a line, which has at least one.
     *
     * @throws IOException if the line is no JSON
     * @throws IllegalArgumentException if the line is no message, or a batch that has no message that can be read or
     *     more than {@link #MAX_BATCH_SIZE} messages
     */
    static List<JSONRPCMessage> read(String line) throws IOException {
        String text = line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
        return text.stripLeading().startsWith("[")
                ? readBatch(text)
                : List.of(toMessage(McpJson.SDK_MAPPER.readValue(text, ANY_JSON)));
    }

    private static List<JSONRPCMessage> readBatch(String text) throws JsonProcessingException {
        List<?> batch = McpJson.MAPPER.readValue(text, List.class);
        if (batch.size() > MAX_BATCH_SIZE) {
            throw new IllegalArgumentException("a batch of more than " + MAX_BATCH_SIZE + " messages");
        }
        List<JSONRPCMessage> messages = new ArrayList<>();
        for (Object member : batch) {
            try {
                messages.add(toMessage(member));
            } catch (IllegalArgumentException e) {
                // The other messages of the batch count.
            }
        }
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("a batch without messages");
        }
        return messages;
    }

    private static JSONRPCMessage toMessage(@Nullable Object json) {
        if (!(json instanceof Map<?, ?> message)) {
            throw new IllegalArgumentException("no JSON-RPC message");
        }
        if (message.containsKey("method")) {
            return message.get("id") == null
                    ? McpJson.SDK_MAPPER.convertValue(message, JSONRPCNotification.class)
                    : McpJson.SDK_MAPPER.convertValue(message, JSONRPCRequest.class);
        }
        if (message.containsKey("result") || message.containsKey("error")) {
            return McpJson.SDK_MAPPER.convertValue(message, JSONRPCResponse.class);
        }
        throw new IllegalArgumentException("neither a request nor a response");
    }
}
