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

/** Calls by the MCP SDK alone, of a server that is a process of its own and gives arguments back. For one thread. */
public final class BareMcp implements TimedOperation, AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** The library's logger, set to warnings. Held in a field: a logger without a reference is collected and loses its level. */
    private static final Logger LOG = Logger.getLogger("io.modelcontextprotocol");

    private final McpSyncClient client;
    private final String tool;

    private BareMcp(McpSyncClient client, String tool) {
        this.client = client;
        this.tool = tool;
    }

    /**
     * Starts a server and shakes hands.
     *
     * @param command the program and its arguments
     * @param tool what is called
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
                // As the service has it: what comes back is not checked against a schema.
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
