package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.CircuitBreakerSnapshot.CircuitBreakerState;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Answers over Streamable HTTP that are no message, and their statuses. */
class McpHttpStatusTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String METADATA = "https://login.example/.well-known/oauth-protected-resource";
    private static final String CHALLENGE = "Bearer realm=\"x\", error=\"invalid_token\", "
            + "error_description=\"The access token expired\", resource_metadata=\"" + METADATA + "\"";

    private final McpHarness harness = new McpHarness();
    private final ScriptedHttpServer server = new ScriptedHttpServer();

    @AfterEach
    void close() {
        harness.close();
        server.close();
    }

    private void connect(String more) {
        server.connect(harness, "far", ",\"trustHints\":true" + more);
    }

    private String lastError() {
        return harness.backend("far").status().lastError().orElse("");
    }

    private static JsonNode details(ToolError error) {
        try {
            return JSON.readTree(error.details().map(Json::text).orElse("null"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void refuse(HttpExchange exchange, JsonNode request) throws IOException {
        exchange.getResponseHeaders().set("WWW-Authenticate", CHALLENGE);
        ScriptedHttpServer.json(exchange, 401, "{\"error\":\"invalid_token\"}");
    }

    /** Each row: the tool, an answer to a call of it, the code of its failure and a part of the message. */
    @ParameterizedTest
    @CsvSource({
        "read,  202, '',                '',     backend-unavailable, status 202",
        "write, 202, '',                '',     outcome-unknown,     status 202",
        "read,  200, text/html,         <html>, backend-unavailable, text/html",
        "write, 200, text/html,         <html>, outcome-unknown,     text/html",
        "write, 200, application/json,  '',     outcome-unknown,     without an answer",
        "write, 200, application/json,  '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}', outcome-unknown, no response",
        "write, 200, application/json,  '{\"a\"', tool-failed,       not accepted",
        "write, 400, text/plain,        bad,    tool-failed,         status 400",
        "write, 405, '',                '',     tool-failed,         status 405",
        "write, 409, '',                '',     tool-failed,         status 409",
        "write, 413, text/html,         <html>, tool-failed,         status 413",
        "write, 403, '',                '',     tool-failed,         status 403: the credentials",
        "read,  500, text/plain,        oops,   tool-failed,         status 500",
        "write, 500, text/plain,        oops,   outcome-unknown,     status 500",
        "read,  502, text/html,         <html>, backend-unavailable, status 502",
        "write, 502, text/html,         <html>, outcome-unknown,     status 502",
        "read,  503, '',                '',     backend-unavailable, status 503",
        "write, 503, '',                '',     backend-unavailable, status 503",
    })
    void statusDecidesWhatACallMayHaveDone(
            String tool, int status, String type, String body, String code, String message) {
        connect("");
        server.answer("tools/call", (exchange, request) -> {
            if (type.isEmpty()) {
                ScriptedHttpServer.empty(exchange, status);
            } else {
                ScriptedHttpServer.body(exchange, status, type, body);
            }
        });
        ToolError error = harness.error("far." + tool, "{}");
        assertThat(error.code().code()).isEqualTo(code);
        assertThat(error.message()).contains(message);
        if (status >= 300) {
            assertThat(details(error).path("status").asInt()).isEqualTo(status);
            assertThat(details(error).path("body").asText()).isEqualTo(body);
        }
        assertThat(server.received("tools/call")).hasSize(1);
        server.answer("tools/call", server::respond);
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }

    @Test
    void refusalWhoseBodyDoesNotEndIsAnAnswer() {
        connect("");
        server.answer("tools/call", (exchange, request) -> server.openBody(exchange, 409, "taken"));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(error).path("status").asInt()).isEqualTo(409);
        assertThat(details(error).path("body").asText()).isEqualTo("taken");
    }

    @Test
    void notificationThatIsAnsweredWithAnOpenStreamIsAccepted() {
        server.answer("notifications/initialized", (exchange, request) -> server.openStream(exchange, ": here\n\n"));
        connect(",\"startMillis\":30000");
        assertThat(server.received("initialize")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"read, 500, tool-failed", "write, 500, outcome-unknown", "write, 400, tool-failed"})
    void errorOfTheProtocolInTheBodyIsShown(String tool, int status, String code) {
        connect("");
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.json(
                        exchange,
                        status,
                        "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id")
                                + ",\"error\":{\"code\":-32603,\"message\":\"the disk is full\","
                                + "\"data\":{\"free\":0}}}"));
        ToolError error = harness.error("far." + tool, "{}");
        assertThat(error.code().code()).isEqualTo(code);
        assertThat(error.message()).contains("status " + status, "the disk is full");
        assertThat(details(error).path("code").asInt()).isEqualTo(-32603);
        assertThat(details(error).at("/data/free").asInt(-1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "\"server-error\"", "7"})
    void errorWithoutTheIdOfItsRequestAnswersIt(String id) {
        connect("");
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.json(
                        exchange,
                        200,
                        "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":7,\"message\":\"no\"}}"));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).endsWith("refused by its server: no");
        assertThat(details(error).path("code").asInt()).isEqualTo(7);
    }

    @Test
    void resultWithAnotherIdIsNoResultOfTheRequest() {
        connect("");
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.json(
                        exchange, 200, "{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{\"content\":[]}}"));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("not accepted", "the id 'other' of another request");
    }

    @ParameterizedTest
    @CsvSource({"307, /mcp/, /mcp/", "308, ?a=1, /mcp?a=1", "302, //127.0.0.1/login, //127.0.0.1/login"})
    void redirectIsNamedWithItsTarget(int status, String location, String target) {
        connect("");
        HttpRedirect redirect = new HttpRedirect(status, location);
        server.answer("tools/call", redirect);
        ToolError error = harness.error("far.write", "{}");
        String absolute = target.startsWith("//") ? "http:" + target : server.origin() + target;
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("status " + status, "'" + absolute + "'", "not followed");
        assertThat(details(error).path("location").asText()).isEqualTo(absolute);

        server.answer("initialize", redirect);
        harness.add("moved", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\"}");
        harness.await("moved", BackendState.DOWN);
        assertThat(harness.backend("moved").status().lastError().orElse(""))
                .contains("did not start", server.origin() + " answered", "status " + status, "'" + absolute + "'");
    }

    @Test
    void redirectDoesNotShowTheQueryOfTheUrl() {
        server.answer("tools/call", (exchange, request) -> {
            exchange.getResponseHeaders().set("Location", "/mcp/?key=k");
            ScriptedHttpServer.body(exchange, 307, "text/html", "<a href='/mcp/?key=k'>moved</a>");
        });
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp?key=k\"}");
        harness.await("far", BackendState.READY);
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.message()).contains("'" + server.origin() + "/mcp/?…'");
        assertThat(error.toString()).doesNotContain("key=k");
        assertThat(details(error).path("body").asText()).isEqualTo("<a href='/mcp/?…'>moved</a>");
    }

    @Test
    void pathOfTheUrlIsNotShown() {
        String token = "9f8e7d6c5b4a39281706";
        String path = "/s/" + token + "/mcp";
        server.answer("tools/call", (exchange, request) -> {
            exchange.getResponseHeaders().set("Location", path + "/");
            ScriptedHttpServer.body(exchange, 307, "text/plain", "Cannot POST " + path + " of " + token);
        });
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + path + "\"}");
        harness.await("far", BackendState.READY);
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.message()).contains(server.origin() + " answered", "'" + server.origin() + "[redacted]/'");
        assertThat(details(error).path("body").asText()).isEqualTo("Cannot POST [redacted] of [redacted]");
        assertThat(error.toString()).doesNotContain(token);
    }

    private record HttpRedirect(int status, String location) implements ScriptedHttpServer.HttpResponder {
        @Override
        public void respond(HttpExchange exchange, JsonNode request) throws IOException {
            exchange.getResponseHeaders().set("Location", location);
            ScriptedHttpServer.empty(exchange, status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "tools/list"})
    void credentialsThatAreRefusedAtTheStartAreNamed(String method) {
        server.answer(method, McpHttpStatusTest::refuse);
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp?key=k\"}");
        harness.await("far", BackendState.DOWN);
        assertThat(lastError())
                .contains("did not start", server.origin() + " answered with status 401", METADATA)
                .doesNotContain("key=k");
        assertThat(server.received(method)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"404, '', true", "405, Method Not Allowed, true", "404, ERROR, false", "400, '', false"})
    void olderTransportIsNamedAtTheStart(int status, String body, boolean named) {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}";
        server.answer(
                "initialize",
                (exchange, request) -> ScriptedHttpServer.json(exchange, status, body.equals("ERROR") ? error : body));
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + "/sse\"}");
        harness.await("far", BackendState.DOWN);
        assertThat(lastError()).contains("did not start", "status " + status);
        assertThat(lastError().contains("the older transport with SSE is not supported"))
                .isEqualTo(named);
    }

    @Test
    void tokenThatCannotBeSentIsNotShown() {
        harness.add(
                "far", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\",\"token\":\"t0p-s3cret\\nt0p-s3cret\"}");
        harness.await("far", BackendState.DOWN);
        assertThat(lastError()).contains("'Authorization' cannot be sent").doesNotContain("t0p-s3cret");
        assertThat(server.requests).isEmpty();
    }

    @Test
    void connectionWithRefusedCredentialsIsTriedAgainAfterAMinute() {
        server.answer("initialize", McpHttpStatusTest::refuse);
        List<Long> delays = new CopyOnWriteArrayList<>();
        ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                delays.add(unit.toMillis(delay));
                return super.schedule(task, delay, unit);
            }
        };
        ExecutorService executor = Executors.newCachedThreadPool();
        BackendDefinition definition = new BackendDefinition(
                "far",
                "mcp-http",
                new Json("{\"url\":\"" + server.origin() + "/mcp\"}"),
                true,
                BackendDefinition.BackendOrigin.API,
                "1");
        try (BackendConnection connection = new McpHttpBackendType(
                        scheduler, executor, new Random(1), new SecretResolverFactory(harness.vault))
                .open(definition, new IgnoredStates())) {
            connection.start();
            harness.await("the next connection is scheduled", () -> !delays.isEmpty());
            assertThat(delays).containsExactly(60_000L);
        } finally {
            scheduler.shutdownNow();
            executor.shutdownNow();
        }
    }

    private static final class IgnoredStates implements BackendConnection.ConnectionListener {
        @Override
        public void onStateChanged(BackendState state, Optional<String> error) {}

        @Override
        public void onToolsDeclared(List<ToolDefinition> tools) {}
    }

    @ParameterizedTest
    @CsvSource({"401, 0, 60000", "403, 0, 60000", "429, 90000, 90000", "429, 86400000, 600000", "404, 0, 0"})
    void pauseBeforeTheNextConnectionFollowsTheStatus(int status, long requested, long pause) {
        assertThat(new McpFailure.RequestRefused(
                                status, "r", Map.of(McpFailure.RequestRefused.RETRY_AFTER_MEMBER, requested))
                        .reconnectPause())
                .isEqualTo(Duration.ofMillis(pause));
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "write"})
    void credentialsThatExpireAreShownUntilACallIsAnswered(String tool) {
        connect(",\"breakerFailures\":1,\"retryAttempts\":3,\"retryMillis\":1");
        server.answer("tools/call", McpHttpStatusTest::refuse);
        for (int i = 0; i < 3; i++) {
            ToolError error = harness.error("far." + tool, "{}");
            assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
            assertThat(error.code().isRetryable()).isFalse();
            assertThat(error.message()).contains("status 401", METADATA);
            assertThat(details(error).path("status").asInt()).isEqualTo(401);
            assertThat(details(error).path("resourceMetadata").asText()).isEqualTo(METADATA);
            assertThat(details(error).path("wwwAuthenticate").asText()).isEqualTo(CHALLENGE);
        }
        assertThat(server.received("tools/call")).hasSize(3);
        assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.DEGRADED);
        assertThat(lastError()).contains("status 401", METADATA);
        assertThat(harness.backend("far").breaker().state()).isEqualTo(CircuitBreakerState.CLOSED);

        server.answer("tools/call", server::respond);
        assertThat(harness.value("far." + tool, "{}")).isEqualTo("\"done\"");
        assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.READY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "tools/call"})
    void newTokenIsUsedAtOnce(String refused) {
        String settings = "{\"url\":\"" + server.origin() + "/mcp\",\"token\":\"%s\"}";
        server.answer(refused, (exchange, request) -> {
            if ("Bearer new".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                server.respond(exchange, request);
            } else {
                refuse(exchange, request);
            }
        });
        harness.add("far", "mcp-http", settings.formatted("old"));
        if (refused.equals("tools/call")) {
            harness.await("far", BackendState.READY);
            assertThat(harness.error("far.write", "{}").message()).contains("status 401");
            harness.await("far", BackendState.DEGRADED);
        } else {
            harness.await("far", BackendState.DOWN);
        }

        assertThat(harness.backends.update("far", "mcp-http", new Json(settings.formatted("new")), true, "t"))
                .isPresent();
        harness.await("far", BackendState.READY);
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }

    @Test
    void serverThatRefusesPingsIsNotRestarted() {
        connect(",\"pingMillis\":100");
        server.answer("ping", McpHttpStatusTest::refuse);
        harness.await("far", BackendState.DEGRADED);
        harness.await(
                "more pings than may be missed", () -> server.received("ping").size() > 6);
        assertThat(lastError()).contains("status 401");
        assertThat(server.received("initialize")).hasSize(1);
        server.answer("ping", server::respond);
        harness.await("far", BackendState.READY);
    }

    /** Each row: the answer to pings, which may be an error of JSON-RPC, and whether the server itself answered. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | ERROR | true",
                "404 | ERROR | true",
                "500 | ERROR | true",
                "400 | bad   | true",
                "405 | no    | true",
                "500 | oops  | false",
                "503 | {\"error\":{\"code\":503}} | false",
            })
    void refusedPingIsAnAnswerOfTheServer(int status, String body, boolean answered) {
        connect(",\"pingMillis\":100");
        server.answer(
                "ping",
                (exchange, request) ->
                        ScriptedHttpServer.json(exchange, status, body.equals("ERROR") ? noSuchMethod(request) : body));
        if (answered) {
            harness.await(
                    "more pings than may be missed",
                    () -> server.received("ping").size() > 6);
            assertThat(server.received("initialize")).hasSize(1);
            assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.READY);
        } else {
            harness.await(
                    "a new connection", () -> server.received("initialize").size() > 1);
        }
    }

    private static String noSuchMethod(JsonNode request) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id")
                + ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "write"})
    void throttledCallSaysWhenToTryAgain(String tool) {
        connect(",\"breakerFailures\":1");
        server.answer("tools/call", (exchange, request) -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            ScriptedHttpServer.empty(exchange, 429);
        });
        ToolError error = harness.error("far." + tool, "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(details(error).path("status").asInt()).isEqualTo(429);
        assertThat(details(error).path("retryAfterMillis").asInt()).isEqualTo(7_000);
        assertThat(harness.backend("far").breaker().state()).isEqualTo(CircuitBreakerState.CLOSED);
        assertThat(harness.backend("far").status().state()).isEqualTo(BackendState.READY);
    }

    @Test
    void throttledCallThatMayBeRepeatedIsRepeatedAfterThePause() {
        connect(",\"retryAttempts\":2,\"retryMillis\":1");
        AtomicInteger calls = new AtomicInteger();
        server.answer("tools/call", (exchange, request) -> {
            if (calls.incrementAndGet() == 1) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                ScriptedHttpServer.empty(exchange, 429);
            } else {
                server.respond(exchange, request);
            }
        });
        assertThat(harness.value("far.read", "{}")).isEqualTo("\"done\"");
        assertThat(calls).hasValue(2);
    }

    @Test
    void callToAServerThatIsAwayWasNotSent() {
        server.closesConnections = true;
        connect("");
        server.close();
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(error.message()).contains("could not be sent", server.origin() + " cannot be reached");
    }
}
