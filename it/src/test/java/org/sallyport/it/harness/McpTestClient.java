package org.sallyport.it.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** An agent: a client of the MCP endpoint that uses the SDK of the protocol. */
public final class McpTestClient implements AutoCloseable {
    /** Path of the MCP endpoint. */
    public static final String MCP_PATH = "/mcp";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final McpSyncClient client;
    private final List<McpSchema.ProgressNotification> progressNotifications = new CopyOnWriteArrayList<>();

    private McpTestClient(
            URI base, String key, Optional<Function<McpSchema.ElicitFormRequest, McpSchema.ElicitResult>> user) {
        McpClient.SyncSpec spec = McpClient.sync(HttpClientStreamableHttpTransport.builder(base.toString())
                        .endpoint(MCP_PATH)
                        .jsonMapper(new JacksonMcpJsonMapper(MAPPER))
                        .addHttpRequestCustomizer((request, method, uri, body, context) ->
                                request.setHeader("Authorization", "Bearer " + key))
                        .build())
                .clientInfo(McpSchema.Implementation.builder("test", "1").build())
                .requestTimeout(TIMEOUT)
                .initializationTimeout(TIMEOUT)
                .jsonSchemaValidator((schema, content) -> JsonSchemaValidator.ValidationResponse.asValid(""))
                .progressConsumer(progressNotifications::add);
        user.ifPresent(person -> spec.capabilities(
                        McpSchema.ClientCapabilities.builder().elicitation().build())
                .elicitation(person));
        client = spec.build();
        client.initialize();
    }

    /** A client whose user cannot be asked (without elicitation). */
    public static McpTestClient withoutElicitation(SallyportServer server, String key) {
        return new McpTestClient(server.url(), key, Optional.empty());
    }

    /** A client whose user answers elicitations. */
    public static McpTestClient withElicitation(
            SallyportServer server, String key, Function<McpSchema.ElicitFormRequest, McpSchema.ElicitResult> user) {
        return new McpTestClient(server.url(), key, Optional.of(user));
    }

    public McpSyncClient client() {
        return client;
    }

    /** Converts a value of the protocol to JSON. */
    public JsonNode toJson(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Calls a tool with a progress token. */
    public McpCallResult call(String tool, String arguments) {
        try {
            McpSchema.CallToolResult result = client.callTool(McpSchema.CallToolRequest.builder(tool)
                    .arguments(MAPPER.<Map<String, Object>>readValue(
                            arguments, MAPPER.getTypeFactory().constructMapType(Map.class, String.class, Object.class)))
                    .progressToken("progress of " + tool)
                    .build());
            JsonNode content = MAPPER.valueToTree(result.structuredContent());
            String text = ((McpSchema.TextContent) result.content().get(0)).text();
            if (!MAPPER.readTree(text).equals(content)) {
                throw new AssertionError("the text is not the content: " + text);
            }
            return new McpCallResult(content, Boolean.TRUE.equals(result.isError()));
        } catch (JsonProcessingException e) {
            throw new AssertionError(arguments, e);
        }
    }

    /**
     * The result of a tool call.
     *
     * @param content its structured content, which its text repeats
     * @param failed whether the result is marked as an error
     */
    public record McpCallResult(JsonNode content, boolean failed) {
        /** A part of the content as text. */
        public String textAt(String pointer) {
            return content.at(pointer).asText();
        }

        /** Returns this result. Throws {@link AssertionError} if it is an error. */
        public McpCallResult expectSuccess() {
            if (failed) {
                throw new AssertionError("failed: " + content);
            }
            return this;
        }
    }

    /** The progress notifications that the client received. */
    public List<McpSchema.ProgressNotification> progressNotifications() {
        return List.copyOf(progressNotifications);
    }

    /** The names of the tools that the server lists. */
    public List<String> toolNames() {
        return client.listTools().tools().stream().map(McpSchema.Tool::name).toList();
    }

    @Override
    public void close() {
        client.closeGracefully();
    }
}
