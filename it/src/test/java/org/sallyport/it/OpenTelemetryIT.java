package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.modelcontextprotocol.spec.McpSchema;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.FakeOtlpCollector;
import org.sallyport.it.harness.FakeOtlpCollector.ReceivedSpan;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.NodeJsProcess;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.UseServer;

/**
 * Trace contexts that arrive with a request are propagated to backends, and the spans are exported to a collector of
 * the test.
 */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenTelemetryIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER_SPAN_ID = "00f067aa0ba902b7";
    private static final String TRACEPARENT = "00-" + TRACE_ID + "-" + CALLER_SPAN_ID + "-01";
    private static final String TOKEN = "shelter-token-4711";

    private final Map<String, String> traceHeadersByPath = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final FakeOtlpCollector collector = FakeOtlpCollector.shared();
    private final SallyportServer server;
    private final RestClient api;
    private HttpServer shelter;

    OpenTelemetryIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeAll
    void start() throws IOException {
        shelter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        shelter.setExecutor(threads);
        shelter.createContext("/", this::handleRequest);
        shelter.start();
        api.post("/api/v1/secrets", "{\"name\":\"shelter\",\"value\":\"" + TOKEN + "\"}")
                .expectStatus(201);
        api.post("/api/v1/backends", """
                {"name": "shelter", "kind": "http", "settings": { "baseUrl": "%s", "allowPrivate": true,
                  "headers": { "Authorization": "Bearer ${secret:shelter}" },
                  "operations": {
                    "find": { "method": "GET", "path": "/pets/{name}", "headers": { "traceparent": "{given}", \
                "tracestate": "{given}" } },
                    "away": { "method": "GET", "path": "/away/{name}", "headers": { "traceparent": "{given}" } } } } }
                """.formatted(url("127.0.0.1"))).expectStatus(201);
        api.post(
                        "/api/v1/backends",
                        "{\"name\":\"agents\",\"kind\":\"mcp-http\",\"settings\":{\"url\":\"" + url("127.0.0.1")
                                + "/mcp\"}}")
                .expectStatus(201);
        awaitBackends();
    }

    private void awaitBackends() {
        awaitReady("shelter");
        awaitReady("agents");
    }

    private void awaitReady(String name) {
        Await.until(
                name + " is ready",
                TIMEOUT,
                () -> api.get("/api/v1/backends/" + name)
                        .json()
                        .at("/status/state")
                        .asText()
                        .equals("ready"));
    }

    @AfterAll
    void stop() {
        for (String added : List.of("backends/shelter", "backends/agents", "secrets/shelter")) {
            api.send(api.request("/api/v1/" + added).DELETE());
        }
        shelter.stop(0);
        threads.shutdownNow();
    }

    @BeforeEach
    void resetCollector() {
        collector.respondWith(200);
    }

    private String url(String host) {
        return "http://" + host + ":" + shelter.getAddress().getPort();
    }

    /** Answers as an MCP server with one tool. */
    private void handleMcpRequest(HttpExchange exchange) throws IOException {
        JsonNode request = TestJson.read(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        String result = switch (request.path("method").asText()) {
            case "initialize" ->
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}";
            case "tools/list" -> "{\"tools\":[{\"name\":\"hi\",\"inputSchema\":{\"type\":\"object\"}}]}";
            case "tools/call" -> "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}";
            case "ping" -> "{}";
            default -> "";
        };
        if (request.path("method").asText().equals("tools/call")) {
            JsonNode meta = request.at("/params/_meta");
            traceHeadersByPath.put(
                    "/mcp",
                    meta.path("traceparent").asText() + " "
                            + meta.path("tracestate").asText());
        }
        byte[] body = ("{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}")
                .getBytes(StandardCharsets.UTF_8);
        boolean asked = exchange.getRequestMethod().equals("POST");
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (!asked || result.isEmpty()) {
            exchange.sendResponseHeaders(asked ? 202 : 405, -1);
        } else {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private void handleRequest(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/mcp")) {
            handleMcpRequest(exchange);
            return;
        }
        traceHeadersByPath.put(
                path,
                exchange.getRequestHeaders().get("traceparent") + " "
                        + exchange.getRequestHeaders().get("tracestate"));
        if (path.startsWith("/away")) {
            exchange.getResponseHeaders().set("Location", url("localhost") + path.replace("/away", "/elsewhere"));
            exchange.sendResponseHeaders(302, -1);
        } else {
            byte[] body = "{\"found\":true}".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private JsonNode run(String script, String... headers) {
        var request = api.submissionRequest(SubmissionBody.javascript(script).json(), "Prefer", "wait=30");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return api.send(request).expectStatus(200).json();
    }

    private double metricValue(String name) {
        return api.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    @Test
    void externalConnectorReceivesTheSpanOfItsCall() {
        String password = "only for this one test";
        api.post(
                        "/api/v1/backends",
                        "{\"name\":\"stranger\",\"kind\":\"external\",\"settings\":{\"password\":\"" + password
                                + "\"}}")
                .expectStatus(201);
        try (NodeJsProcess connector = NodeJsProcess.start(
                CheckoutPaths.root().resolve("it/src/test/connectors/hostile.mjs"),
                Map.of(
                        "BACKEND",
                        "stranger",
                        "PASSWORD",
                        password,
                        "PORT",
                        server.setting("sallyport.connectors.listen-address")))) {
            awaitReady("stranger");
            run("return await stranger.forge({})", "traceparent", TRACEPARENT);

            String called = connector
                    .output()
                    .lines()
                    .filter(line -> line.startsWith("call forge "))
                    .findFirst()
                    .orElseThrow();
            assertThat(called).matches(".* 00-" + TRACE_ID + "-[0-9a-f]{16}-01").doesNotContain(CALLER_SPAN_ID);
        }
        api.send(api.request("/api/v1/backends/stranger").DELETE()).expectStatus(204);
    }

    @Test
    void traceReachesTheBackendAndItsSpansReachTheCollector() {
        JsonNode execution = run("""
                const one = await demo.add({ a: 19, b: 23 });
                await shelter.find({ name: "rex", given: "00-11111111111111111111111111111111-2222222222222222-01" });
                await demo.fail({ message: "the message is private" }).catch(() => 0);
                return one;
                """, "traceparent", TRACEPARENT, "tracestate", "vendor=1, other@x=2");
        String id = execution.path("id").asText();

        ReceivedSpan root = collector.awaitExecutionSpan(id);
        assertThat(OpenApiResponseValidator.of(api)
                        .validate("GET", RestClient.EXECUTIONS + "/{id}", api.get(RestClient.EXECUTIONS + "/" + id)))
                .isEmpty();
        assertThat(execution.path("traceId").asText()).isEqualTo(TRACE_ID);
        assertThat(execution.path("traceparent").asText()).isEqualTo("00-" + TRACE_ID + "-" + root.spanId() + "-01");
        assertThat(root.traceId()).isEqualTo(TRACE_ID);
        assertThat(root.parentSpanId()).isEqualTo(CALLER_SPAN_ID);
        assertThat(root.traceState()).isEqualTo("vendor=1,other@x=2");
        assertThat(root.resource())
                .containsEntry("service.name", FakeOtlpCollector.SERVICE_NAME)
                .containsKey("service.instance.id");
        assertThat(root.attributes())
                .containsEntry("sallyport.state", "COMPLETED")
                .containsEntry("sallyport.tenant", "default")
                .containsEntry("sallyport.attempts", "1")
                .containsKeys("sallyport.queue_millis", "sallyport.run_millis");
        ReceivedSpan add = collector.awaitCallSpan(id, 1);
        ReceivedSpan find = collector.awaitCallSpan(id, 2);
        ReceivedSpan fail = collector.awaitCallSpan(id, 3);
        assertThat(List.of(add, find, fail)).allSatisfy(call -> {
            assertThat(call.parentSpanId()).isEqualTo(root.spanId());
            assertThat(call.traceId()).isEqualTo(TRACE_ID);
            assertThat(call.span().getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
            assertThat(call.span().getStartTimeUnixNano())
                    .isGreaterThanOrEqualTo(root.span().getStartTimeUnixNano());
            assertThat(call.span().getEndTimeUnixNano())
                    .isGreaterThanOrEqualTo(call.span().getStartTimeUnixNano());
        });
        assertThat(add.name()).isEqualTo("demo.add");
        assertThat(add.attributes())
                .containsEntry("sallyport.backend", "demo")
                .containsEntry("sallyport.success", "true")
                .containsKeys("sallyport.duration_millis", "sallyport.queue_millis");
        assertThat(fail.attributes()).containsEntry("error.type", "tool-failed");
        assertThat(traceHeadersByPath.get("/pets/rex"))
                .as("what the script would send is not sent")
                .isEqualTo("[00-" + TRACE_ID + "-" + find.spanId() + "-01] [vendor=1,other@x=2]");
        assertThat(collector.receivedSpans().toString())
                .doesNotContain(TOKEN, FakeOtlpCollector.TOKEN, "is private", "const one", "rex");
        assertThat(collector.authorizations()).containsOnly("Bearer " + FakeOtlpCollector.TOKEN);
        assertThat(server.logText()).doesNotContain(FakeOtlpCollector.TOKEN);
    }

    @Test
    void traceIsPropagatedToAnMcpServer() {
        String id = run("return await agents.hi({})", "traceparent", TRACEPARENT, "tracestate", "vendor=1")
                .path("id")
                .asText();

        assertThat(traceHeadersByPath.get("/mcp"))
                .isEqualTo(
                        "00-" + TRACE_ID + "-" + collector.awaitCallSpan(id, 1).spanId() + "-01 vendor=1");
    }

    @Test
    void traceIsNotSentToAnotherHostOnRedirect() {
        run("await shelter.away({ name: 'a', given: 'x' }).catch(() => 0); return 1", "traceparent", TRACEPARENT);

        assertThat(traceHeadersByPath.get("/away/a")).contains(TRACE_ID);
        assertThat(traceHeadersByPath.getOrDefault("/elsewhere/a", "null null")).isEqualTo("null null");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "'; drop table execution; --",
                "x"
            })
    void invalidTraceparentIsIgnoredAndANewTraceStarts(String bad) {
        JsonNode execution = run("return await demo.add({ a: 1, b: 2 })", "traceparent", bad, "tracestate", "vendor=1");

        ReceivedSpan root = collector.awaitExecutionSpan(execution.path("id").asText());
        assertThat(root.traceId())
                .matches("[0-9a-f]{32}")
                .isNotEqualTo(TRACE_ID)
                .isEqualTo(execution.path("traceId").asText());
        assertThat(root.parentSpanId()).isEmpty();
        assertThat(root.traceState()).isEmpty();
    }

    @Test
    void repeatedTraceparentIsIgnored() {
        JsonNode execution = run("return 1", "traceparent", TRACEPARENT, "traceparent", TRACEPARENT);

        assertThat(execution.path("traceId").asText()).isNotEqualTo(TRACE_ID).hasSize(32);
    }

    @Test
    void unsampledTraceIsPropagatedButNotExported() {
        JsonNode quiet = run(
                "return await shelter.find({ name: 'quiet', given: '' })",
                "traceparent",
                TRACEPARENT.replace("-01", "-00"));
        JsonNode loud = run("return 1");

        collector.awaitExecutionSpan(loud.path("id").asText());
        assertThat(traceHeadersByPath.get("/pets/quiet"))
                .startsWith("[00-" + TRACE_ID)
                .contains("-00]");
        assertThat(collector.receivedSpans().toString())
                .doesNotContain(quiet.path("id").asText());
    }

    @Test
    void batchItemsBelongToTheTraceOfTheirRequest() {
        JsonNode batch = api.send(api.request("/api/v1/batches")
                        .header("Content-Type", "application/json")
                        .header("traceparent", TRACEPARENT)
                        .POST(RestClient.body("{\"items\":[{\"code\":\"return 1\"},{\"code\":\"return 2\"}]}")))
                .expectStatus(202)
                .json();

        batch.path("items").forEach(item -> {
            ReceivedSpan root =
                    collector.awaitExecutionSpan(item.path("execution").asText());
            assertThat(root.parentSpanId()).isEqualTo(CALLER_SPAN_ID);
            assertThat(root.attributes())
                    .containsEntry("sallyport.batch.id", batch.path("id").asText());
        });
    }

    @Test
    void agentCallBelongsToTheTraceOfItsMessage() {
        try (McpTestClient agent = McpTestClient.withoutElicitation(server, server.adminKey())) {
            McpSchema.CallToolResult result = agent.client()
                    .callTool(McpSchema.CallToolRequest.builder("run_script")
                            .arguments(Map.of("code", "return 7"))
                            .meta(Map.of("traceparent", TRACEPARENT, "tracestate", "agent=1"))
                            .build());
            String id = agent.toJson(result.structuredContent()).path("id").asText();

            ReceivedSpan root = collector.awaitExecutionSpan(id);
            assertThat(root.traceId()).isEqualTo(TRACE_ID);
            assertThat(root.parentSpanId()).isEqualTo(CALLER_SPAN_ID);
            assertThat(root.traceState()).isEqualTo("agent=1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {503, 429, 400, 500, FakeOtlpCollector.NO_RESPONSE})
    void failingCollectorAffectsNoExecution(int status) {
        double failed = metricValue("sallyport_spans_failed_requests_total");
        collector.respondWith(status);

        List<JsonNode> ended = IntStream.range(0, 20)
                .mapToObj(i -> run("return await demo.add({ a: 1, b: 1 })"))
                .toList();

        assertThat(ended)
                .allSatisfy(execution ->
                        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED"));
        Await.until(
                "failures are counted", TIMEOUT, () -> metricValue("sallyport_spans_failed_requests_total") > failed);
        if (status == 400 || status == 500) {
            Await.until("what is dropped is counted", TIMEOUT, () -> metricValue("sallyport_spans_dropped_total") > 0);
        }
        collector.respondWith(200);
        String later = run("return 1").path("id").asText();
        collector.awaitExecutionSpan(later);
        if (status == 503 || status == 429 || status == FakeOtlpCollector.NO_RESPONSE) {
            ended.forEach(execution ->
                    collector.awaitExecutionSpan(execution.path("id").asText()));
        }
        assertThat(server.logText()
                        .lines()
                        .filter(line -> line.contains("spans were"))
                        .count())
                .as("the log is not filled")
                .isLessThan(8);
    }

    @Test
    void withoutACollectorThereAreNoTraces(@UseServer(ServerProfile.PLAIN) RestClient plain) {
        JsonNode execution = plain.send(plain.submissionRequest(
                        SubmissionBody.javascript("return 1").json(), "Prefer", "wait=30", "traceparent", TRACEPARENT))
                .expectStatus(200)
                .json();

        assertThat(execution.has("traceparent")).isFalse();
        assertThat(execution.has("traceId")).isFalse();
    }
}
