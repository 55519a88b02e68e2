package org.sallyport.bench.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A small MCP server over its standard streams. It has two tools that return their arguments: {@code echo} has the hint
 * that it is read-only, {@code note} does not. The process exits when its input ends.
 */
public final class McpEchoServer {
    /** The tool with the read-only hint. */
    public static final String READ_ONLY_TOOL = "echo";

    /** The tool without the read-only hint. */
    public static final String WRITING_TOOL = "note";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int METHOD_NOT_FOUND = -32_601;

    private McpEchoServer() {}

    /**
     * Returns the program and its arguments.
     *
     * @param directory for its temporary files
     */
    public static List<String> command(Path directory) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                McpEchoServer.class.getName());
    }

    /** Answers requests until the input ends. */
    public static void main(String[] arguments) throws IOException {
        serve(System.in, new PrintStream(System.out, false, StandardCharsets.UTF_8));
    }

    static void serve(InputStream in, PrintStream out) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Optional<ObjectNode> answer = answer(JSON.readTree(line));
            if (answer.isPresent()) {
                out.print(answer.get() + "\n");
                out.flush();
            }
        }
    }

    /** Returns the response to a request, or empty for a notification. */
    private static Optional<ObjectNode> answer(JsonNode request) {
        if (!request.has("id")) {
            return Optional.empty();
        }
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.get("id"));
        JsonNode parameters = request.path("params");
        switch (request.path("method").asText()) {
            case "initialize" -> initialize(answer.putObject("result"), parameters);
            case "ping" -> answer.putObject("result");
            case "tools/list" -> list(answer.putObject("result"));
            case "tools/call" -> echo(answer.putObject("result"), parameters.path("arguments"));
            default -> answer.putObject("error").put("code", METHOD_NOT_FOUND).put("message", "Method not found");
        }
        return Optional.of(answer);
    }

    private static void initialize(ObjectNode result, JsonNode parameters) {
        result.put("protocolVersion", parameters.path("protocolVersion").asText());
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "echo").put("version", "1");
    }

    private static void list(ObjectNode result) {
        var tools = result.putArray("tools");
        for (String name : List.of(READ_ONLY_TOOL, WRITING_TOOL)) {
            ObjectNode tool = tools.addObject().put("name", name).put("description", "Returns its arguments");
            tool.putObject("inputSchema")
                    .put("type", "object")
                    .putObject("properties")
                    .putObject("i")
                    .put("type", "integer");
            tool.putObject("annotations").put("readOnlyHint", name.equals(READ_ONLY_TOOL));
        }
    }

    private static void echo(ObjectNode result, JsonNode arguments) {
        result.putArray("content").addObject().put("type", "text").put("text", arguments.toString());
        result.set("structuredContent", arguments);
    }
}
