package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Sessions over Streamable HTTP, which servers may end at any time. */
class McpHttpSessionTest {
    private static final String NOT_FOUND =
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001," + "\"message\":\"Session not found\"}}";

    private final McpHarness harness = new McpHarness();
    private final ScriptedHttpServer server = new ScriptedHttpServer();
    private final Set<String> endedSessions = ConcurrentHashMap.newKeySet();
    private final AtomicInteger executedCalls = new AtomicInteger();

    @BeforeEach
    void connect() {
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\",\"trustHints\":true}");
        harness.await("far", BackendState.READY);
        harness.await(
                "a stream of its own is not offered",
                () -> !server.received("GET").isEmpty());
    }

    @AfterEach
    void close() {
        harness.close();
        server.close();
    }

    /** Answers calls of sessions that were not ended. */
    private void answerCalls(int refusal, String refusalBody) {
        server.answer("tools/call", (exchange, request) -> {
            if (endedSessions.contains(sessionOf(exchange))) {
                String id = request.get("id").toString();
                ScriptedHttpServer.json(exchange, refusal, refusalBody.replace("OWN", id));
            } else {
                executedCalls.incrementAndGet();
                server.respond(exchange, request);
            }
        });
    }

    private static String sessionOf(HttpExchange exchange) {
        return String.valueOf(exchange.getRequestHeaders().getFirst("Mcp-Session-Id"));
    }

    @Test
    void sessionAndVersionAreSentWithEachRequestAfterTheHandshake() {
        harness.value("far.write", "{}");
        harness.backends.remove("far");
        harness.await("the session is ended", () -> !server.received("DELETE").isEmpty());

        assertThat(server.requests)
                .allSatisfy(request -> {
                    boolean first = request.method().equals("initialize");
                    assertThat(request.header("Mcp-Session-Id"))
                            .isEqualTo(first ? Optional.empty() : Optional.of("s-1"));
                    assertThat(request.header("MCP-Protocol-Version"))
                            .isEqualTo(first ? Optional.empty() : Optional.of("2025-06-18"));
                })
                .extracting(ScriptedHttpServer.ReceivedRequest::method)
                .contains("initialize", "notifications/initialized", "tools/list", "tools/call", "GET", "DELETE");
    }

    @ParameterizedTest
    @CsvSource({
        "404, " + "'" + NOT_FOUND + "'",
        "404, '{\"jsonrpc\":\"2.0\",\"id\":OWN,\"error\":{\"code\":-32001,\"message\":\"Session not found\"}}'",
        "404, ''",
        "400, 'Bad Request: No valid session ID provided'",
    })
    void callIsMadeInANewSessionWhenTheServerEndedTheOldOne(int status, String body) {
        answerCalls(status, body);
        for (int session = 1; session <= 3; session++) {
            assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
            endedSessions.add("s-" + session);
        }
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
        assertThat(executedCalls).hasValue(4);
        assertThat(server.received("initialize")).hasSize(4);
        assertThat(server.received("notifications/initialized")).hasSize(4);
        assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.READY);
    }

    /** The server has read the request, so that it may have done a part of it. */
    @ParameterizedTest
    @CsvSource({"404, the page was not found", "400, the date is invalid"})
    void callThatTheServerItselfAnswersIsNotMadeAgain(int status, String message) {
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.json(
                        exchange,
                        status,
                        "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"error\":{\"code\":-32000,"
                                + "\"message\":\"" + message + "\",\"data\":\"session 7\"}}"));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("status " + status, message);
        assertThat(server.received("tools/call")).hasSize(1);
        assertThat(server.received("initialize")).hasSize(1);
    }

    @Test
    void toolsOfTheNewSessionAreListed() {
        answerCalls(404, "");
        endedSessions.add("s-1");
        server.answer("tools/list", (exchange, request) -> listTools(exchange, request, "other"));
        harness.value("far.write", "{}");
        harness.await("the tools are those of the new session", () -> offersTool("far", "other"));
    }

    @Test
    void callsOfAnEndedSessionShareTheNewOne() {
        answerCalls(404, NOT_FOUND);
        endedSessions.add("s-1");
        List<CompletableFuture<ToolResult>> calls = IntStream.range(0, 8)
                .mapToObj(i -> harness.send(harness.nextId(), "far.write", "{}"))
                .toList();
        assertThat(calls).allSatisfy(call -> assertThat(call.join()).isInstanceOf(ToolResult.ToolSuccess.class));
        assertThat(executedCalls).hasValue(8);
        assertThat(server.received("initialize")).hasSize(2);
    }

    @Test
    void callThatIsRefusedInTheNewSessionTooIsNotMadeAThirdTime() {
        server.answer("tools/call", (exchange, request) -> ScriptedHttpServer.json(exchange, 404, NOT_FOUND));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("status 404", "Session not found");
        assertThat(server.received("tools/call")).hasSize(2);
    }

    @Test
    void callWasNotMadeIfThereIsNoNewSession() {
        answerCalls(404, NOT_FOUND);
        endedSessions.add("s-1");
        server.answer("initialize", (exchange, request) -> ScriptedHttpServer.empty(exchange, 500));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(error.message()).contains("its session ended", "status 500");
        assertThat(executedCalls).hasValue(0);
        harness.await("far", BackendState.DOWN);
        server.answer("initialize", server::respond);
        harness.await("far", BackendState.READY);
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }

    @Test
    void pingRenewsTheSession() {
        server.answer("ping", (exchange, request) -> {
            if (sessionOf(exchange).equals("s-2")) {
                ScriptedHttpServer.empty(exchange, 404);
            } else {
                server.respond(exchange, request);
            }
        });
        harness.add("brisk", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\",\"pingMillis\":100}");
        harness.await("brisk", BackendState.READY);
        harness.await(
                "a ping in the third session",
                () -> server.received("ping").stream()
                        .anyMatch(ping -> ping.header("Mcp-Session-Id").equals(Optional.of("s-3"))));
        assertThat(harness.backend("brisk").status())
                .satisfies(status -> assertThat(status.state()).isEqualTo(BackendState.READY))
                .satisfies(status -> assertThat(status.lastError()).isEmpty());
    }

    @Test
    void serverWithoutAStreamOfItsOwnKeepsItsSession() {
        server.answer("GET", (exchange, request) -> ScriptedHttpServer.json(exchange, 404, "{\"path\":\"/mcp\"}"));
        harness.add("mute", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\",\"pingMillis\":100}");
        harness.await("mute", BackendState.READY);
        harness.await("pings", () -> server.received("ping").size() >= 3);
        assertThat(server.received("GET"))
                .filteredOn(get -> get.header("Mcp-Session-Id").equals(Optional.of("s-2")))
                .hasSize(1);
        assertThat(server.received("initialize")).hasSize(2);
    }

    private boolean offersTool(String backend, String name) {
        return harness.backends.tools(backend).stream()
                .anyMatch(tool -> tool.name().equals(name));
    }

    private static void listTools(HttpExchange exchange, JsonNode request, String name) throws IOException {
        ScriptedHttpServer.json(
                exchange,
                200,
                ScriptedHttpServer.result(
                        request, "{\"tools\":[{\"name\":\"" + name + "\",\"inputSchema\":{\"type\":\"object\"}}]}"));
    }

    @Test
    void serverMessagesArriveOnAStreamThatIsOpenedAgain() {
        AtomicInteger streams = new AtomicInteger();
        String changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
        server.answer("GET", (exchange, request) -> {
            int number = streams.incrementAndGet();
            if (number == 1) {
                ScriptedHttpServer.cutStream(exchange, "id: e7\nretry: 1\ndata: \n\n");
            } else {
                server.answer("tools/list", (listing, list) -> listTools(listing, list, "later"));
                server.openStream(exchange, "data: " + changed + "\n\n");
            }
        });
        harness.add("eager", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\"}");
        harness.await("the changed tools are listed", () -> offersTool("eager", "later"));
        assertThat(server.received("GET"))
                .filteredOn(get -> get.header("Mcp-Session-Id").equals(Optional.of("s-2")))
                .extracting(get -> get.header("Last-Event-ID"))
                .startsWith(Optional.empty(), Optional.of("e7"));
        assertThat(harness.backend("eager").status().state()).isEqualTo(BackendState.READY);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 429, 503})
    void streamThatTheServerRefusesForNowIsOpenedLater(int status) {
        server.answer("GET", (exchange, request) -> {
            server.answer("GET", (later, none) -> server.openStream(later, ": here\n\n"));
            ScriptedHttpServer.empty(exchange, status);
        });
        harness.add("eager", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\"}");
        harness.await(
                "the stream is opened again",
                () -> server.received("GET").stream()
                                .filter(get -> get.header("Mcp-Session-Id").equals(Optional.of("s-2")))
                                .count()
                        == 2);
    }
}
