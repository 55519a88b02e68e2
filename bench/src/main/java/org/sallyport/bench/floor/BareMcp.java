package org.sallyport.bench.floor;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;

/**
 * Calls a tool through the MCP SDK alone. The MCP server is a separate process that returns the arguments. Not
 * thread-safe.
 */
public final class BareMcp implements TimedOperation, AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /**
     * Logger of the MCP SDK. Held in a field, because the logging system discards unreferenced loggers with their
     * levels.
     */
    private static final Logger LOG = Logger.getLogger("io.modelcontextprotocol");

    private final McpSyncClient client;
    private final String tool;

    private BareMcp(McpSyncClient client, String tool) {
        this.client = client;
        this.tool = tool;
    }

    /**
     * Starts an MCP server and initializes the connection.
     *
     * @param command the program and its arguments
     * @param tool the tool to call
     */
    public static BareMcp connect(List<String> command, String tool) {
        LOG.setLevel(Level.WARNING);
        ServerParameters program = ServerParameters.builder(command.get(0))
                .args(command.subList(1, command.size()))
                .build();
        ObjectMapper mapper = new ObjectMapper();
        McpSyncClient client = McpClient.sync(new StdioClientTransport(program, new JacksonMcpJsonMapper(mapper)))
                .initializationTimeout(TIMEOUT)
                .requestTimeout(TIMEOUT)
                // As in the service: results are not validated against a schema.
                .jsonSchemaValidator((schema, content) -> JsonSchemaValidator.ValidationResponse.asValid(""))
                .enableCallToolSchemaCaching(false)
                .build();
        BareMcp bare = new BareMcp(client, tool);
        try {
            client.initialize();
        } catch (RuntimeException e) {
            bare.close();
            throw e;
        }
        return bare;
    }

    @Override
    public long runOnce(long number) throws WrongResultException {
        Map<String, Object> arguments = Map.of("i", Math.toIntExact(number));
        long start = System.nanoTime();
        McpSchema.CallToolResult answer = client.callTool(
                McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
        long nanos = System.nanoTime() - start;
        if (!arguments.equals(answer.structuredContent())) {
            throw new WrongResultException("the server answered " + answer + " for " + arguments);
        }
        return nanos;
    }

    @Override
    public void close() {
        client.closeGracefully();
    }
}
