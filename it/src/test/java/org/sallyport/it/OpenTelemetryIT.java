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
import org.sallyport.it.harness.Agent;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Collector;
import org.sallyport.it.harness.Collector.Taken;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.NodeProgram;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Traces that come with a request, go on to backends, and arrive at a collector that the test runs. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenTelemetryIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + CALLER + "-01";
    private static final String TOKEN = "shelter-token-4711";

    private final Map<String, String> heard = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Collector collector = Collector.shared();
    private final SallyportServer server;
    private final Api api;
    private HttpServer shelter;

    OpenTelemetryIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeAll
    void start() throws IOException {
        shelter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        shelter.setExecutor(threads);
        shelter.createContext("/", this::answer);
        shelter.start();
        api.post("/api/v1/secrets", "{\"name\":\"shelter\",\"value\":\"" + TOKEN + "\"}")
                .expect(201);
        api.post("/api/v1/backends", """
                {"name": "shelter", "kind": "http", "settings": { "baseUrl": "%s", "allowPrivate": true,
                  "headers": { "Authorization": "Bearer ${secret:shelter}" },
                  "operations": {
                    "find": { "method": "GET", "path": "/pets/{name}", "headers": { "traceparent": "{given}", "tracestate": "{given}" } },
                    "away": { "method": "GET", "path": "/away/{name}", "headers": { "traceparent": "{given}" } } } } }
                """.formatted(url("127.0.0.1"))).expect(201);
        api.post(
                        "/api/v1/backends",
                        "{\"name\":\"agents\",\"kind\":\"mcp-http\",\"settings\":{\"url\":\"" + url("127.0.0.1")
                                + "/mcp\"}}")
                .expect(201);
        awaitBackends();
    }

    private void awaitBackends() {
        awaitReady("shelter");
        awaitReady("agents");
    }

    private void awaitReady(String name) {
        Await.until(
                name + " is ready",
                PATIENCE,
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
    void well() {
        collector.answers(200);
    }

    private String url(String host) {
        return "http://" + host + ":" + shelter.getAddress().getPort();
    }

    /** An MCP server with one tool. */
    private void answerAgent(HttpExchange exchange) throws IOException {
        JsonNode request = Json.read(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
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
            heard.put(
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

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/mcp")) {
            answerAgent(exchange);
            return;
        }
        heard.put(
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
        var request = api.submission(Submission.javascript(script).json(), "Prefer", "wait=30");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return api.send(request).expect(200).json();
    }

    private double figure(String name) {
        return api.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    @Test
    void aConnectorOfAnotherProcessIsToldTheSpanOfItsCall() {
        String password = "only for this one test";
        api.post(
                        "/api/v1/backends",
                        "{\"name\":\"stranger\",\"kind\":\"external\",\"settings\":{\"password\":\"" + password
                                + "\"}}")
                .expect(201);
        try (NodeProgram connector = NodeProgram.start(
                Checkout.home().resolve("it/src/test/connectors/hostile.mjs"),
                Map.of(
                        "BACKEND",
                        "stranger",
                        "PASSWORD",
                        password,
                        "PORT",
                        server.setting("sallyport.connectors.address")))) {
            awaitReady("stranger");
            run("return await stranger.forge({})", "traceparent", PARENT);

            String called = connector
                    .printed()
                    .lines()
                    .filter(line -> line.startsWith("call forge "))
                    .findFirst()
                    .orElseThrow();
            assertThat(called).matches(".* 00-" + TRACE + "-[0-9a-f]{16}-01").doesNotContain(CALLER);
        }
        api.send(api.request("/api/v1/backends/stranger").DELETE()).expect(204);
    }

    @Test
    void aTraceGoesThroughFromTheCallerToTheBackendAndIsToldToTheCollector() {
        JsonNode execution = run("""
                const one = await demo.add({ a: 19, b: 23 });
                await shelter.find({ name: "rex", given: "00-11111111111111111111111111111111-2222222222222222-01" });
                await demo.fail({ message: "the message is private" }).catch(() => 0);
                return one;
                """, "traceparent", PARENT, "tracestate", "vendor=1, other@x=2");
        String id = execution.path("id").asText();

        Taken root = collector.awaitRoot(id);
        assertThat(Description.of(api).faults("GET", Api.EXECUTIONS + "/{id}", api.get(Api.EXECUTIONS + "/" + id)))
                .isEmpty();
        assertThat(execution.path("traceId").asText()).isEqualTo(TRACE);
        assertThat(execution.path("traceparent").asText()).isEqualTo("00-" + TRACE + "-" + root.id() + "-01");
        assertThat(root.trace()).isEqualTo(TRACE);
        assertThat(root.parent()).isEqualTo(CALLER);
        assertThat(root.state()).isEqualTo("vendor=1,other@x=2");
        assertThat(root.resource())
                .containsEntry("service.name", Collector.SERVICE)
                .containsKey("service.instance.id");
        assertThat(root.attributes())
                .containsEntry("sallyport.state", "COMPLETED")
                .containsEntry("sallyport.tenant", "default")
                .containsEntry("sallyport.attempts", "1")
                .containsKeys("sallyport.queue_millis", "sallyport.run_millis");
        Taken add = collector.call(id, 1);
        Taken find = collector.call(id, 2);
        Taken fail = collector.call(id, 3);
        assertThat(List.of(add, find, fail)).allSatisfy(call -> {
            assertThat(call.parent()).isEqualTo(root.id());
            assertThat(call.trace()).isEqualTo(TRACE);
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
        assertThat(heard.get("/pets/rex"))
                .as("what the script would send is not sent")
                .isEqualTo("[00-" + TRACE + "-" + find.id() + "-01] [vendor=1,other@x=2]");
        assertThat(collector.taken().toString())
                .doesNotContain(TOKEN, Collector.TOKEN, "is private", "const one", "rex");
        assertThat(collector.authorizations()).containsOnly("Bearer " + Collector.TOKEN);
        assertThat(server.logText()).doesNotContain(Collector.TOKEN);
    }

    @Test
    void aTraceGoesOnToAnMcpServer() {
        String id = run("return await agents.hi({})", "traceparent", PARENT, "tracestate", "vendor=1")
                .path("id")
                .asText();

        assertThat(heard.get("/mcp"))
                .isEqualTo("00-" + TRACE + "-" + collector.call(id, 1).id() + "-01 vendor=1");
    }

    @Test
    void aTraceDoesNotFollowARedirectToAnotherHost() {
        run("await shelter.away({ name: 'a', given: 'x' }).catch(() => 0); return 1", "traceparent", PARENT);

        assertThat(heard.get("/away/a")).contains(TRACE);
        assertThat(heard.getOrDefault("/elsewhere/a", "null null")).isEqualTo("null null");
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
    void aBadTraceparentIsNoErrorAndANewTraceBegins(String bad) {
        JsonNode execution = run("return await demo.add({ a: 1, b: 2 })", "traceparent", bad, "tracestate", "vendor=1");

        Taken root = collector.awaitRoot(execution.path("id").asText());
        assertThat(root.trace())
                .matches("[0-9a-f]{32}")
                .isNotEqualTo(TRACE)
                .isEqualTo(execution.path("traceId").asText());
        assertThat(root.parent()).isEmpty();
        assertThat(root.state()).isEmpty();
    }

    @Test
    void twoTraceparentsAreNone() {
        JsonNode execution = run("return 1", "traceparent", PARENT, "traceparent", PARENT);

        assertThat(execution.path("traceId").asText()).isNotEqualTo(TRACE).hasSize(32);
    }

    @Test
    void whatTheCallerDoesNotWantRecordedIsPassedOnAndNotTold() {
        JsonNode quiet = run(
                "return await shelter.find({ name: 'quiet', given: '' })", "traceparent", PARENT.replace("-01", "-00"));
        JsonNode loud = run("return 1");

        collector.awaitRoot(loud.path("id").asText());
        assertThat(heard.get("/pets/quiet")).startsWith("[00-" + TRACE).contains("-00]");
        assertThat(collector.taken().toString()).doesNotContain(quiet.path("id").asText());
    }

    @Test
    void theItemsOfABatchAreInTheTraceOfItsRequest() {
        JsonNode batch = api.send(api.request("/api/v1/batches")
                        .header("Content-Type", "application/json")
                        .header("traceparent", PARENT)
                        .POST(Api.body("{\"items\":[{\"code\":\"return 1\"},{\"code\":\"return 2\"}]}")))
                .expect(202)
                .json();

        batch.path("items").forEach(item -> {
            Taken root = collector.awaitRoot(item.path("execution").asText());
            assertThat(root.parent()).isEqualTo(CALLER);
            assertThat(root.attributes())
                    .containsEntry("sallyport.batch.id", batch.path("id").asText());
        });
    }

    @Test
    void anAgentsCallIsInTheTraceThatItsMessageNames() {
        try (Agent agent = Agent.alone(server, server.adminKey())) {
            McpSchema.CallToolResult result = agent.client()
                    .callTool(McpSchema.CallToolRequest.builder("run_script")
                            .arguments(Map.of("code", "return 7"))
                            .meta(Map.of("traceparent", PARENT, "tracestate", "agent=1"))
                            .build());
            String id = agent.json(result.structuredContent()).path("id").asText();

            Taken root = collector.awaitRoot(id);
            assertThat(root.trace()).isEqualTo(TRACE);
            assertThat(root.parent()).isEqualTo(CALLER);
            assertThat(root.state()).isEqualTo("agent=1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {503, 429, 400, 500, Collector.SILENT})
    void aCollectorThatDoesNotDoItsPartHarmsNoExecution(int status) {
        double failed = figure("sallyport_spans_failed_requests_total");
        collector.answers(status);

        List<JsonNode> ended = IntStream.range(0, 20)
                .mapToObj(i -> run("return await demo.add({ a: 1, b: 1 })"))
                .toList();

        assertThat(ended)
                .allSatisfy(execution ->
                        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED"));
        Await.until("failures are counted", PATIENCE, () -> figure("sallyport_spans_failed_requests_total") > failed);
        if (status == 400 || status == 500) {
            Await.until("what is dropped is counted", PATIENCE, () -> figure("sallyport_spans_dropped_total") > 0);
        }
        collector.answers(200);
        String later = run("return 1").path("id").asText();
        collector.awaitRoot(later);
        if (status == 503 || status == 429 || status == Collector.SILENT) {
            ended.forEach(execution -> collector.awaitRoot(execution.path("id").asText()));
        }
        assertThat(server.logText()
                        .lines()
                        .filter(line -> line.contains("spans were"))
                        .count())
                .as("the log is not filled")
                .isLessThan(8);
    }

    @Test
    void withoutACollectorThereAreNoTraces(@Server(Profile.PLAIN) Api plain) {
        JsonNode execution = plain.send(plain.submission(
                        Submission.javascript("return 1").json(), "Prefer", "wait=30", "traceparent", PARENT))
                .expect(200)
                .json();

        assertThat(execution.has("traceparent")).isFalse();
        assertThat(execution.has("traceId")).isFalse();
    }
}
