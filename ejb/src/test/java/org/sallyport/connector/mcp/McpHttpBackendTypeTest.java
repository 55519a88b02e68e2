package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** An MCP server over Streamable HTTP that requires a token and becomes unavailable and available again. */
class McpHttpBackendTypeTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final McpHarness harness = new McpHarness();
    private final Set<String> authorizations = ConcurrentHashMap.newKeySet();
    private final Set<String> paths = ConcurrentHashMap.newKeySet();
    private volatile String toolResult = "{\"content\":[{\"type\":\"text\",\"text\":\"hello over t0p-s3cret\"}]}";
    private volatile CallResponder callResponder = (exchange, body, request) -> json(exchange, body);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final List<String> calledIds = new CopyOnWriteArrayList<>();
    private final List<String> cancelledIds = new CopyOnWriteArrayList<>();
    private final AtomicInteger redirectTargetHits = new AtomicInteger();
    private HttpServer server;
    private final int port;

    McpHttpBackendTypeTest() throws IOException {
        server = start(0);
        port = server.getAddress().getPort();
    }

    private HttpServer start(int onPort) throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), 0);
        started.setExecutor(threads);
        started.createContext("/mcp", this::answer);
        started.createContext("/inside", exchange -> {
            redirectTargetHits.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        started.start();
        return started;
    }

    private void answer(HttpExchange exchange) throws IOException {
        paths.add(exchange.getRequestURI().toString());
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.sendResponseHeaders(405, -1);
            exchange.close();
            return;
        }
        JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
        String method = request.path("method").asText();
        String result = switch (method) {
            case "initialize" ->
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}";
            case "tools/list" -> "{\"tools\":[{\"name\":\"hi\",\"inputSchema\":{\"type\":\"object\"}}]}";
            case "tools/call" -> toolResult;
            case "ping" -> "{}";
            default -> "";
        };
        if (method.equals("notifications/cancelled")) {
            cancelledIds.add(request.at("/params/requestId").asText());
        }
        if (result.isEmpty()) {
            exchange.sendResponseHeaders(202, -1);
            exchange.close();
            return;
        }
        String body = "{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}";
        if (method.equals("tools/call")) {
            calledIds.add(request.path("id").asText());
            callResponder.respond(exchange, body, request);
        } else {
            json(exchange, body);
        }
    }

    /** Answers a tool call. */
    private interface CallResponder {
        void respond(HttpExchange exchange, String body, JsonNode request) throws IOException;
    }

    private static void json(HttpExchange exchange, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static byte[] event(String data) {
        return ("event: message\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes a byte at intervals, for longer than any client waits. Ends when the client no longer reads or the test is
     * over.
     */
    private void drip(OutputStream out, String first) throws IOException {
        try (out) {
            out.write(first.getBytes(StandardCharsets.UTF_8));
            do {
                out.write(' ');
                out.flush();
            } while (!finished.await(20, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void end() {
        finished.countDown();
        harness.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void add(String more) {
        harness.add("far", "mcp-http", "{\"url\":\"http://127.0.0.1:" + port + "/mcp\"" + more + "}");
        harness.await("far", BackendState.READY);
    }

    /** Asserts that the next call is answered, regardless of the failure of the previous call. */
    private void assertNextCallAnswered() {
        callResponder = (exchange, body, request) -> json(exchange, body);
        harness.await("far", BackendState.READY);
        assertThat(harness.value("far.hi", "{}")).contains("hello");
    }

    @Test
    void replyWithADuplicateMemberIsRefused() {
        harness.add("far", "mcp-http", "{\"url\":\"http://127.0.0.1:" + port + "/mcp\"}");
        harness.await("far", BackendState.READY);
        toolResult = "{\"content\":[],\"structuredContent\":{\"paid\":false,\"paid\":true}}";
        assertThat(harness.error("far.hi", "{}"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.TOOL_FAILED))
                .satisfies(e -> assertThat(e.message()).contains("is not accepted", "'paid'"));
        toolResult = "{\"content\":[{\"type\":\"text\",\"text\":\"once\"}]}";
        assertThat(harness.value("far.hi", "{}")).isEqualTo("\"once\"");
    }

    @Test
    void answersArriveAsTheyCame() {
        add("");
        String content = "[{\"type\":\"text\",\"text\":\"before\",\"extra\":1},{\"type\":\"video\",\"uri\":\"a:b\"}]";
        toolResult = "{\"content\":" + content + "}";
        assertThat(harness.value("far.hi", "{}")).isEqualTo(content);

        String error = "{\"code\":\"E_QUOTA\",\"data\":{\"used\":7}}";
        callResponder = (exchange, body, request) ->
                json(exchange, "{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"error\":" + error + "}");
        assertThat(harness.error("far.hi", "{}"))
                .isEqualTo(new ToolError(
                        ToolErrorCode.TOOL_FAILED,
                        "'hi' was refused by its server: no reason given",
                        Optional.of(new Json(error))));
        assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void toolsAreCalledWithTheTokenWhichIsRedacted() {
        harness.add("far", "mcp-http", "{\"url\":\"http://127.0.0.1:" + port + "/mcp\",\"token\":\"t0p-s3cret\"}");
        harness.await("far", BackendState.READY);
        assertThat(harness.value("far.hi", "{}")).isEqualTo("\"hello over [redacted]\"");
        assertThat(authorizations).containsExactly("Bearer t0p-s3cret");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callIdIsSentAsAnIdempotencyKeyIfConfigured(boolean configured) throws Exception {
        add(",\"sendCallId\":" + configured);
        List<JsonNode> received = new CopyOnWriteArrayList<>();
        callResponder = (exchange, body, request) -> {
            received.add(request.at("/params/_meta"));
            json(exchange, body);
        };
        CallId id = harness.nextId();
        assertThat(harness.send(id, "far.hi", "{}").get(60, TimeUnit.SECONDS))
                .isInstanceOf(ToolResult.ToolSuccess.class);
        assertThat(received).singleElement().satisfies(meta -> {
            assertThat(meta.path("progressToken").asText()).isEqualTo(id.toString());
            assertThat(meta.path("org.sallyport/idempotencyKey").asText("none"))
                    .isEqualTo(configured ? id.toString() : "none");
        });
    }

    @Test
    void urlMayHaveBlanksAndCharactersBeyondAscii() {
        harness.add("far", "mcp-http", "{\"url\":\"http://127.0.0.1:" + port + "/mcp/größe x\"}");
        assertNextCallAnswered();
        assertThat(paths).containsExactly("/mcp/gr%C3%B6%C3%9Fe%20x");
    }

    @Test
    void unavailableServerIsDetectedAndReconnected() throws IOException {
        harness.add(
                "far",
                "mcp-http",
                "{\"url\":\"http://127.0.0.1:" + port + "/mcp\",\"pingMillis\":500,\"startMillis\":2000}");
        harness.await("far", BackendState.READY);
        server.stop(0);
        assertThat(harness.error("far.hi", "{}").code())
                .isIn(ToolErrorCode.BACKEND_UNAVAILABLE, ToolErrorCode.OUTCOME_UNKNOWN);
        harness.await("far", BackendState.DOWN);
        server = start(port);
        harness.await("far", BackendState.READY);
        assertThat(harness.value("far.hi", "{}")).contains("hello");
    }

    @Test
    void replyMayBeAnEventStreamAfterNotifications() {
        add("");
        callResponder = (exchange, body, request) -> {
            try (OutputStream out = stream(exchange)) {
                out.write(": a comment\n\n".getBytes(StandardCharsets.UTF_8));
                out.write(event(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"
                                + request.at("/params/_meta/progressToken") + ",\"progress\":1}}"));
                out.write(event(body));
            }
        };
        for (int i = 0; i < 3; i++) {
            assertThat(harness.value("far.hi", "{}")).isEqualTo("\"hello over t0p-s3cret\"");
        }
        assertNextCallAnswered();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oversizedReplyIsNotReadToItsEnd(boolean asStream) {
        add(",\"maxResponseBytes\":20000");
        String much = "x".repeat(10_000_000);
        callResponder = (exchange, body, request) -> {
            String all = body.replace("hello", much);
            if (asStream) {
                try (OutputStream out = stream(exchange)) {
                    out.write(event(all));
                }
            } else {
                json(exchange, all);
            }
        };
        assertThat(harness.error("far.hi", "{}"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.TOO_LARGE))
                .satisfies(e -> assertThat(e.message())
                        .contains("more than 20000 bytes (maxResponseBytes)")
                        .doesNotContain("xxxx"));
        assertNextCallAnswered();
    }

    @ParameterizedTest
    @ValueSource(strings = {"silent", "drips", "drips as a stream", "stream without an end"})
    void unansweredCallTimesOutAndItsServerIsNotified(String how) {
        add(",\"timeoutMillis\":1000");
        callResponder = (exchange, body, request) -> {
            switch (how) {
                case "drips" -> {
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(200, 0);
                    drip(exchange.getResponseBody(), "{\"jsonrpc\":");
                }
                case "drips as a stream" -> drip(stream(exchange), "data: {\"jsonrpc\":");
                case "stream without an end" -> drip(stream(exchange), ": nothing yet\n\n:");
                default -> hold(exchange);
            }
        };
        assertThat(harness.error("far.hi", "{}").code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        harness.await("its server heard of it", () -> cancelledIds.equals(calledIds));
        assertNextCallAnswered();
    }

    private void hold(HttpExchange exchange) {
        try {
            finished.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchange.close();
    }

    @Test
    void serverIsNotifiedOfACancelledCall() throws Exception {
        add("");
        callResponder = (exchange, body, request) -> hold(exchange);
        CallId id = harness.nextId();
        CompletableFuture<ToolResult> endless = harness.send(id, "far.hi", "{}");
        harness.await("it is under way", () -> calledIds.size() == 1);
        harness.cancel(id);
        assertThat(((ToolResult.ToolFailure) endless.get(60, TimeUnit.SECONDS))
                        .error()
                        .code())
                .isEqualTo(ToolErrorCode.CANCELLED);
        harness.await("its server heard of it", () -> cancelledIds.equals(calledIds));
        assertNextCallAnswered();
    }

    @ParameterizedTest
    @CsvSource({"301", "302", "307", "308"})
    void redirectIsNotFollowed(int status) {
        add(",\"token\":\"t0p-s3cret\"");
        callResponder = (exchange, body, request) -> {
            exchange.getResponseHeaders().set("Location", "http://127.0.0.1:" + port + "/inside");
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        };
        assertThat(harness.error("far.hi", "{}"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.TOOL_FAILED))
                .satisfies(e -> assertThat(e.message()).contains("status " + status, "/inside'"));
        assertThat(redirectTargetHits).hasValue(0);
        assertNextCallAnswered();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                              | settings.url",
                "{\"url\":\"file:///etc/passwd\"}                | settings.url",
                "{\"url\":\"http://user:pw@host/\"}              | settings.url",
                "{\"url\":\"http://host:0/\"}                    | settings.url",
                "{\"url\":\"http://host:65536/\"}                | settings.url",
                "{\"url\":\"http://host/mcp \"}                  | settings.url",
                "{\"url\":\"http://faß.example/\"}               | settings.url",
                "{\"url\":\"http://host/\",\"token\":\"secret:no name\"} | settings.token",
                "{\"url\":\"http://host/\",\"token\":\"***\"}    | settings.token",
                "{\"url\":\"http://host/\",\"headers\":{\"A\":\"b\\nc\"}} | settings.headers",
                "{\"url\":\"http://host/\",\"sendCallId\":\"yes\"} | settings.sendCallId",
            })
    void invalidSettingIsNamed(String settings, String member) {
        assertThatThrownBy(() -> harness.add("far", "mcp-http", settings))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo(member));
    }
}
