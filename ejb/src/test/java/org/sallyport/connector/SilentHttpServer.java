package org.sallyport.connector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;

/**
 * An HTTP API, an MCP server below {@code /mcp} and another installation in one server: it lists the tools {@code post}
 * and {@code put}, and does not answer calls.
 */
final class SilentHttpServer implements AutoCloseable {
    /** The answer to the MCP request {@code initialize}. */
    static final String MCP_INITIALIZED = "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
            + "\"serverInfo\":{\"name\":\"silent\",\"version\":\"1\"}}";
    /** The answer to the MCP request {@code tools/list}. */
    static final String MCP_TOOLS = "{\"tools\":[{\"name\":\"post\",\"inputSchema\":{\"type\":\"object\"}},"
            + "{\"name\":\"put\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"idempotentHint\":true}}]}";

    private static final String REMOTE_TOOLS = "{\"items\":[{\"name\":\"silent.post\",\"inputSchema\":{}},"
            + "{\"name\":\"silent.put\",\"inputSchema\":{},\"idempotent\":true}],\"next\":null}";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Runnable onCall;

    /**
     * Starts the server.
     *
     * @param executor handles each request on a thread of its own
     * @param onCall runs when a call arrives
     */
    SilentHttpServer(ExecutorService executor, Runnable onCall) throws IOException {
        this.onCall = onCall;
        server.setExecutor(executor);
        server.createContext("/", this::hold);
        server.createContext("/mcp", this::answerMcp);
        server.createContext("/api/v1/tools", exchange -> send(exchange, REMOTE_TOOLS));
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void hold(HttpExchange exchange) {
        onCall.run();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchange.close();
    }

    private void answerMcp(HttpExchange exchange) throws IOException {
        JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
        String beginning = "{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":";
        switch (request.path("method").asText()) {
            case "initialize" -> send(exchange, beginning + MCP_INITIALIZED + "}");
            case "tools/list" -> send(exchange, beginning + MCP_TOOLS + "}");
            case "tools/call" -> hold(exchange);
            default -> {
                exchange.sendResponseHeaders(exchange.getRequestMethod().equals("POST") ? 202 : 405, -1);
                exchange.close();
            }
        }
    }

    private static void send(HttpExchange exchange, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        // A later call must not reuse a connection that only seems to be open.
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
