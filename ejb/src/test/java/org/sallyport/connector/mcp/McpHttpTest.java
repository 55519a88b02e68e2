package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.ToolErrorCode;

/** An MCP server over Streamable HTTP that wants a token, and goes away and comes back. */
class McpHttpTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final McpHarness harness = new McpHarness();
    private final Set<String> authorizations = ConcurrentHashMap.newKeySet();
    private HttpServer server;
    private final int port;

    McpHttpTest() throws IOException {
        server = start(0);
        port = server.getAddress().getPort();
    }

    private HttpServer start(int onPort) throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), 0);
        started.createContext("/mcp", this::answer);
        started.start();
        return started;
    }

    private void answer(HttpExchange exchange) throws IOException {
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
        String result = switch (request.path("method").asText()) {
            case "initialize" ->
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}";
            case "tools/list" -> "{\"tools\":[{\"name\":\"hi\",\"inputSchema\":{\"type\":\"object\"}}]}";
            case "tools/call" -> "{\"content\":[{\"type\":\"text\",\"text\":\"hello over t0p-s3cret\"}]}";
            case "ping" -> "{}";
            default -> "";
        };
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.sendResponseHeaders(405, -1);
        } else if (result.isEmpty()) {
            exchange.sendResponseHeaders(202, -1);
        } else {
            byte[] body = ("{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    @AfterEach
    void end() {
        harness.close();
        server.stop(0);
    }

    @Test
    void itsToolsAreCalledWithTheTokenWhichIsNotShown() {
        harness.add("far", "mcp-http", "{\"url\":\"http://127.0.0.1:" + port + "/mcp\",\"token\":\"t0p-s3cret\"}");
        harness.await("far", State.READY);
        assertThat(harness.value("far.hi", "{}")).isEqualTo("\"hello over [redacted]\"");
        assertThat(authorizations).containsExactly("Bearer t0p-s3cret");
    }

    @Test
    void aServerThatGoesAwayIsNoticedAndFoundAgain() throws IOException {
        harness.add(
                "far",
                "mcp-http",
                "{\"url\":\"http://127.0.0.1:" + port + "/mcp\",\"pingMillis\":100,\"startMillis\":2000}");
        harness.await("far", State.READY);
        server.stop(0);
        assertThat(harness.error("far.hi", "{}").code())
                .isIn(ToolErrorCode.BACKEND_UNAVAILABLE, ToolErrorCode.OUTCOME_UNKNOWN);
        harness.await("far", State.DOWN);
        server = start(port);
        harness.await("far", State.READY);
        assertThat(harness.value("far.hi", "{}")).contains("hello");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                              | settings.url",
                "{\"url\":\"file:///etc/passwd\"}                | settings.url",
                "{\"url\":\"http://user:pw@host/\"}              | settings.url",
                "{\"url\":\"http://host/\",\"token\":\"secret:no name\"} | settings.token",
                "{\"url\":\"http://host/\",\"token\":\"***\"}    | settings.token",
                "{\"url\":\"http://host/\",\"headers\":{\"A\":\"b\\nc\"}} | settings.headers",
            })
    void whatCannotBeConfiguredIsNamed(String settings, String member) {
        assertThatThrownBy(() -> harness.add("far", "mcp-http", settings))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo(member));
    }
}
