package org.sallyport.connector.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A server in memory. A request is answered by the lines that its script returns, which are read as the lines of a
 * process are. The handshake is answered by itself.
 */
final class ScriptedTransport implements McpClientTransport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Function<JsonNode, List<String>> script;
    private final String handshake;
    private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler;

    /** @param script returns the lines that answer a request */
    ScriptedTransport(Function<JsonNode, List<String>> script) {
        this(
                script,
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}");
    }

    /** @param handshake the result of the request {@code initialize} */
    ScriptedTransport(Function<JsonNode, List<String>> script, String handshake) {
        this.script = script;
        this.handshake = handshake;
    }

    /** The line of a response with a result. */
    static String result(JsonNode request, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"result\":" + result + "}";
    }

    /** The line of a response with an error. */
    static String error(JsonNode request, String error) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"error\":" + error + "}";
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> listener) {
        return Mono.fromRunnable(() -> handler = listener);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            JsonNode request = toTree(message);
            if (request.has("id") && request.has("method")) {
                List<String> lines = answers(request);
                CompletableFuture.runAsync(() -> lines.forEach(this::deliver));
            }
        });
    }

    private static JsonNode toTree(JSONRPCMessage message) {
        try {
            return JSON.readTree(McpJson.SDK_MAPPER.writeValueAsString(message));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> answers(JsonNode request) {
        return request.path("method").asText().equals("initialize")
                ? List.of(result(request, handshake))
                : script.apply(request);
    }

    /** Delivers a line of the server. */
    void deliver(String line) {
        Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> to = handler;
        if (to == null) {
            throw new AssertionError("not connected");
        }
        try {
            McpMessageReader.read(line)
                    .forEach(message -> to.apply(Mono.just(message)).subscribe(done -> {}, failure -> {}));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJson.SDK_MAPPER.convertValue(data, type);
    }
}
