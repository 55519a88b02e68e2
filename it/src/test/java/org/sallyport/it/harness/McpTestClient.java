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

/** An agent: a client of the MCP door, made with the protocol's own SDK. */
public final class McpTestClient implements AutoCloseable {
    /** Where the door is. */
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

    /** One whose user cannot be asked. */
    public static McpTestClient withoutElicitation(SallyportServer server, String key) {
        return new McpTestClient(server.url(), key, Optional.empty());
    }

    /** One whose user answers what he is asked. */
    public static McpTestClient withElicitation(
            SallyportServer server, String key, Function<McpSchema.ElicitFormRequest, McpSchema.ElicitResult> user) {
        return new McpTestClient(server.url(), key, Optional.of(user));
    }

    public McpSyncClient client() {
        return client;
    }

    /** A value of the protocol as JSON. */
    public JsonNode toJson(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Calls a tool and wants to hear how far it is. */
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
     * What a tool answered.
     *
     * @param content its structure, which was in its text, too
     * @param failed whether it says that it failed
     */
    public record McpCallResult(JsonNode content, boolean failed) {
        /** A part of it as text. */
        public String textAt(String pointer) {
            return content.at(pointer).asText();
        }

        /** This, if it is no failure. */
        public McpCallResult expectSuccess() {
            if (failed) {
                throw new AssertionError("failed: " + content);
            }
            return this;
        }
    }

    /** The progress that it heard of. */
    public List<McpSchema.ProgressNotification> progressNotifications() {
        return List.copyOf(progressNotifications);
    }

    /** The names of the tools that it is shown. */
    public List<String> toolNames() {
        return client.listTools().tools().stream().map(McpSchema.Tool::name).toList();
    }

    @Override
    public void close() {
        client.closeGracefully();
    }
}
