package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Scripts call an HTTP interface that the test runs, with declared operations and with those of its OpenAPI document. */
@ExtendWith(Servers.class)
class HttpBackendIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final String SECRETS = "/api/v1/secrets";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String TOKEN = "shelter-token-4711";

    private final Api api;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final List<String> added = new ArrayList<>();

    HttpBackendIT(Api api) throws IOException {
        this.api = api;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void end() {
        added.forEach(name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
        api.send(api.request(SECRETS + "/shelter").DELETE());
        server.stop(0);
        threads.shutdownNow();
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        String shown = exchange.getRequestHeaders().getFirst("Authorization");
        heard.add(request + " " + body);
        keys.add(
                exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        if (request.startsWith("GET /api.yaml")) {
            say(exchange, 200, "application/yaml", DOCUMENT);
        } else if (request.contains(" /flaky")) {
            long times = heard.stream().filter(each -> each.startsWith(request)).count();
            say(exchange, times < 3 ? 503 : 200, "application/json", "{\"times\":" + times + "}");
        } else if (request.contains(" /spare")) {
            say(exchange, 200, "application/json", "{\"spare\":\"" + request + "\"}");
        } else if (request.startsWith("GET /away") || request.startsWith("GET /v1/away")) {
            exchange.getResponseHeaders()
                    .set("Location", "http://127.0.0.2:" + server.getAddress().getPort() + "/x");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        } else if (!("Bearer " + TOKEN).equals(shown)) {
            say(exchange, 401, "text/plain", "not with " + shown);
        } else if (request.startsWith("DELETE")) {
            say(exchange, 409, "application/json", "{\"why\":\"Bearer " + TOKEN + "\"}");
        } else {
            say(
                    exchange,
                    200,
                    "application/json",
                    "{\"request\":\"" + request + "\",\"body\":" + (body.isEmpty() ? "null" : body) + ",\"token\":\""
                            + TOKEN + "\"}");
        }
    }

    private static void say(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void add(String name, String settings) {
        added.add(name);
        api.post(BACKENDS, "{\"name\":\"" + name + "\",\"kind\":\"http\",\"settings\":" + settings + "}")
                .expect(201);
    }

    private JsonNode await(String name, String state, String error) {
        return Await.value(
                name + " is " + state + " " + error,
                PATIENCE,
                () -> Optional.of(api.get(BACKENDS + "/" + name).expect(200).json())
                        .filter(b -> b.at("/status/state").asText().equals(state)
                                && b.at("/status/lastError").asText().contains(error)));
    }

    private JsonNode run(String script) {
        JsonNode execution = api.run(Submission.javascript(script).limit("wallMillis", 30_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        String trace = api.get(Api.EXECUTIONS + "/" + execution.path("id").asText() + "/trace")
                .text();
        assertThat(execution + trace).doesNotContain(TOKEN);
        return execution.path("result");
    }

    private void storeToken() {
        api.post(SECRETS, "{\"name\":\"shelter\",\"value\":\"" + TOKEN + "\"}").expect(201);
    }

    @Test
    void scriptsCallDeclaredOperations() {
        storeToken();
        add("shelter", """
                { "baseUrl": "%s/v1", "allowPrivate": true, "headers": { "Authorization": "Bearer ${secret:shelter}" },
                  "operations": {
                    "find": { "method": "GET", "path": "/pets/{name}", "query": { "n": "{n}" } },
                    "adopt": { "method": "POST", "path": "/pets/{name}/adoption" },
                    "away": { "method": "GET", "path": "/away" } } }
                """.formatted(url()));
        await("shelter", "ready", "");

        assertThat(run("""
                const found = await shelter.find({ name: "../a b?c", n: 2 });
                const adopted = await shelter.adopt({ name: "Rex", by: "Ada", fee: 1.50 });
                return [found.request, found.token, adopted.request, adopted.body];
                """)).isEqualTo(Json.read("""
                ["GET /v1/pets/..%2Fa%20b%3Fc?n=2", "[redacted]", "POST /v1/pets/Rex/adoption", {"by":"Ada","fee":1.5}]
                """));
        assertThat(run("return await shelter.away({}).catch((e) => e.code)").asText())
                .as("where it is sent to is not on its list")
                .isEqualTo("egress-denied");
        assertThat(run("try { await shelter.find({ name: '..' }); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("invalid-arguments");
    }

    private List<JsonNode> trace(JsonNode execution) {
        return api.trace(execution.path("id").asText());
    }

    private static List<String> events(List<JsonNode> trace) {
        List<String> events = new ArrayList<>();
        trace.forEach(event -> {
            if (event.path("type").asText().equals("tool_end")) {
                events.add(event.path("tool").asText() + " = "
                        + event.path("success").asBoolean() + " "
                        + event.path("attempts").asInt(1));
            } else if (event.path("decision").asText().equals("fallback")) {
                events.add("fallback " + event.path("tool").asText());
            }
        });
        return events;
    }

    @Test
    void whatOnlyReadsIsTriedAgainAndTheRestIsNot() {
        add("flaky", """
                { "baseUrl": "%s", "allowPrivate": true, "retryAttempts": 3, "retryMillis": 20, "operations": {
                  "get": { "method": "GET", "path": "/flaky/get" }, "post": { "method": "POST", "path": "/flaky/post" },
                  "put": { "method": "PUT", "path": "/flaky/put" } } }
                """.formatted(url()));
        await("flaky", "ready", "");

        JsonNode execution = api.run(
                Submission.javascript(
                        "return [(await flaky.get({})).times, await flaky.post({}).catch((e) => e.code), (await flaky.put({})).times]"));

        assertThat(execution.path("result")).isEqualTo(Json.read("[3, \"backend-unavailable\", 3]"));
        assertThat(heard).filteredOn(request -> request.contains("post")).hasSize(1);
        assertThat(events(trace(execution)))
                .containsExactly("flaky.get = true 3", "flaky.post = false 1", "flaky.put = true 3");
        String id = execution.path("id").asText();
        assertThat(keys)
                .as("each time the same, of what has an effect")
                .containsExactly(
                        "GET null",
                        "GET null",
                        "GET null",
                        "POST " + id + "/2",
                        "PUT " + id + "/3",
                        "PUT " + id + "/3",
                        "PUT " + id + "/3");
        JsonNode backend = api.get(BACKENDS + "/flaky").expect(200).json();
        assertThat(backend.at("/calls/retried").asInt()).isEqualTo(4);
        assertThat(backend.at("/latency/calls").asInt()).isEqualTo(3);
        assertThat(backend.at("/latency/p99Millis").asDouble())
                .as("two pauses")
                .isGreaterThan(20)
                .isGreaterThanOrEqualTo(backend.at("/latency/p50Millis").asDouble());
        assertThat(backend.path("tools"))
                .allSatisfy(
                        tool -> assertThat(tool.at("/latency/calls").asInt()).isEqualTo(1));
        assertThat(Description.of(api).faults("GET", BACKENDS + "/{name}", api.get(BACKENDS + "/flaky")))
                .isEmpty();
        assertThat(api.get("/metrics").text()).contains("sallyport_backend_retries_total{backend=\"flaky\"} 4");
    }

    @Test
    void anotherBackendStandsInWhileOneCannotBeReached() {
        String operations = """
                "operations": { "find": { "method": "GET", "path": "/spare/find" },
                  "adopt": { "method": "POST", "path": "/spare/adopt" }%s }
                """;
        add("spare", "{\"baseUrl\":\"" + url() + "\",\"allowPrivate\":true," + operations.formatted("") + "}");
        // Nobody listens there.
        add(
                "main",
                "{\"baseUrl\":\"http://127.0.0.1:1\",\"allowPrivate\":true,\"fallback\":[\"spare\"],\"breakerFailures\":1,"
                        + "\"breakerMillis\":60000,"
                        + operations.formatted(", \"only\": { \"method\": \"GET\", \"path\": \"/only\" }") + "}");
        await("spare", "ready", "");
        await("main", "ready", "");

        JsonNode execution =
                api.run(Submission.javascript("return [(await main.find({})).spare, (await main.adopt({ n: 1 })).spare,"
                        + " await main.only({}).catch((e) => e.code)]"));

        assertThat(execution.path("result"))
                .isEqualTo(Json.read("[\"GET /spare/find\", \"POST /spare/adopt\", \"backend-unavailable\"]"));
        assertThat(heard).hasSize(2);
        List<JsonNode> trace = trace(execution);
        assertThat(events(trace))
                .containsExactly(
                        "fallback spare.find",
                        "main.find = true 2",
                        "fallback spare.adopt",
                        "main.adopt = true 1",
                        "main.only = false 1");
        assertThat(Description.of(api)
                        .faults(
                                "GET",
                                Api.EXECUTIONS + "/{id}/trace",
                                api.get(Api.EXECUTIONS + "/"
                                        + execution.path("id").asText() + "/trace")))
                .isEmpty();
        assertThat(api.get("/metrics").text())
                .contains("sallyport_tool_fallbacks_total{backend=\"main\",other=\"spare\"} 2");

        JsonNode main = api.get(BACKENDS + "/main").expect(200).json();
        assertThat(main.at("/status/state").asText()).isEqualTo("degraded");
        assertThat(main.at("/breaker/state").asText()).isEqualTo("open");
        assertThat(Instant.parse(main.at("/breaker/until").asText()))
                .isAfter(Instant.parse(main.at("/status/since").asText()));
        assertThat(main.at("/breaker/lastFailure").asText()).contains("was not answered");
        assertThat(main.at("/status/lastError").asText())
                .startsWith("its breaker is open")
                .endsWith(main.at("/breaker/lastFailure").asText());
        assertThat(api.get(BACKENDS).json().path("items"))
                .as("why is for those who run the service")
                .anySatisfy(one -> {
                    assertThat(one.path("name").asText()).isEqualTo("main");
                    assertThat(one.at("/breaker/state").asText()).isEqualTo("open");
                    assertThat(one.path("breaker").has("lastFailure")).isFalse();
                });
        assertThat(Description.of(api).faults("GET", BACKENDS, api.get(BACKENDS)))
                .isEmpty();

        // Who is granted the one alone does not come to the other.
        JsonNode narrow = api.run(Submission.javascript("return await main.find({}).catch((e) => e.code)")
                .grants("main.*"));
        assertThat(narrow.path("result").asText()).isEqualTo("backend-unavailable");
        assertThat(heard).hasSize(2);
    }

    @Test
    void scriptsCallTheOperationsOfAnOpenApiDocument() {
        storeToken();
        add(
                "shelter",
                "{\"openapi\":{\"url\":\"" + url() + "/api.yaml\"},\"allowPrivate\":true,"
                        + "\"credentials\":{\"token\":\"secret:shelter\"}}");
        JsonNode ready = await("shelter", "ready", "");
        assertThat(ready.path("toolCount").asInt()).isEqualTo(4);
        assertThat(ready.at("/settings/credentials/token").asText()).isEqualTo("secret:shelter");

        assertThat(run("""
                const found = await shelter.findPets({ tag: ["a", "b&c"], limit: 2 });
                const one = await shelter.getPet({ petId: "../x" });
                const stored = await shelter.storePet({ body: { name: "Rex", parent: { name: "Bo" } } });
                const refused = [];
                for (const call of [
                  () => shelter.storePet({ body: { name: 1 } }), () => shelter.storePet({}), () => shelter.findPets({ limit: 0 }),
                  () => shelter.findPets({ colour: "red" }),
                ]) try { await call(); } catch (e) { refused.push(e.code); }
                return { calls: [found.request, one.request, stored.request, stored.body], refused };
                """)).isEqualTo(Json.read("""
                {"calls": ["GET /v2/pets?tag=a&tag=b%26c&limit=2", "GET /v2/pets/..%2Fx", "POST /v2/pets", {"name":"Rex","parent":{"name":"Bo"}}],
                 "refused": ["invalid-arguments", "invalid-arguments", "invalid-arguments", "invalid-arguments"]}
                """));
        JsonNode tools =
                api.get("/api/v1/tools?backend=shelter").expect(200).json().path("items");
        assertThat(tools).anySatisfy(tool -> {
            assertThat(tool.path("name").asText()).isEqualTo("shelter.removePet");
            assertThat(tool.path("destructive").asBoolean()).isTrue();
            assertThat(tool.path("idempotent").asBoolean()).isTrue();
            assertThat(tool.path("description").asText()).endsWith("(DELETE /pets/{petId})");
        });
        assertThat(tools).filteredOn(tool -> tool.path("readOnly").asBoolean()).hasSize(2);
        assertThat(heard.get(0)).startsWith("GET /api.yaml");
    }

    @Test
    void aDocumentThatIsSentAlongIsReadAtOnceAndOneThatIsAwayIsAskedForAgain() {
        Answer refused = api.post(
                BACKENDS,
                "{\"name\":\"sent\",\"kind\":\"http\",\"settings\":{\"baseUrl\":\"" + url()
                        + "\",\"openapi\":{\"document\":{\"openapi\":\"3.1.0\",\"paths\":{\"/a\":{\"$ref\":\"https://evil.example/\"}}}}}}");
        refused.expect(400);
        assertThat(refused.json().path("detail").asText()).contains("settings.openapi", "not within it");
        add(
                "sent",
                "{\"baseUrl\":\"" + url()
                        + "\",\"allowPrivate\":true,\"openapi\":{\"include\":[\"first*\"],\"document\":"
                        + "{\"openapi\":\"3.1.0\",\"paths\":{\"/a\":{\"get\":{\"operationId\":\"firstOne\"},"
                        + "\"post\":{\"operationId\":\"other\"}}}}}}");
        assertThat(await("sent", "ready", "").path("toolCount").asInt()).isEqualTo(1);

        add("away", "{\"openapi\":{\"url\":\"" + url() + "/missing.yaml\"},\"allowPrivate\":true}");
        await("away", "down", "was answered with status 401");
        Await.until(
                "it is asked for again",
                PATIENCE,
                () -> heard.stream()
                                .filter(request -> request.startsWith("GET /missing.yaml"))
                                .count()
                        > 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api.yaml | false | an address that is not public",
                "/away     | true  | not on the backend's list",
            })
    void aDocumentIsFetchedPastTheGuard(String path, boolean inside, String reason) {
        add("guarded", "{\"openapi\":{\"url\":\"" + url() + path + "\"},\"allowPrivate\":" + inside + "}");
        await("guarded", "down", reason);
    }

    private static final String DOCUMENT = """
            openapi: 3.0.3
            info: { title: Shelter, version: "1" }
            servers: [ { url: "/{version}", variables: { version: { default: v2 } } }, { url: "https://elsewhere.example" } ]
            security: [ { token: [] } ]
            paths:
              /pets:
                get:
                  operationId: findPets
                  parameters:
                    - { name: tag, in: query, schema: { type: array, items: { type: string } } }
                    - { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true } }
                post:
                  operationId: storePet
                  requestBody:
                    required: true
                    content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
              /pets/{petId}:
                parameters: [ { name: petId, in: path, required: true, schema: { type: string } } ]
                get: { operationId: getPet }
                delete: { operationId: removePet }
            components:
              securitySchemes: { token: { type: http, scheme: bearer } }
              schemas:
                Pet:
                  type: object
                  required: [ name ]
                  properties: { name: { type: string }, parent: { $ref: '#/components/schemas/Pet' } }
            """;
}
