package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.LoopbackHttpServer;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Scripts call an HTTP API of the test, through declared operations and through operations of its OpenAPI document. */
@ExtendWith(ServerExtension.class)
class HttpBackendIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final String SECRETS = "/api/v1/secrets";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final String TOKEN = "shelter-token-4711";

    private final RestClient api;
    private final LoopbackHttpServer server;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> idempotencyKeys = new CopyOnWriteArrayList<>();
    private final List<String> addedBackends = new ArrayList<>();

    HttpBackendIT(RestClient api) throws IOException {
        this.api = api;
        server = new LoopbackHttpServer(this::handleRequest);
    }

    @AfterEach
    void end() {
        addedBackends.forEach(
                name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
        api.send(api.request(SECRETS + "/shelter").DELETE());
        server.close();
    }

    private String url() {
        return server.url();
    }

    private void handleRequest(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        String shown = exchange.getRequestHeaders().getFirst("Authorization");
        requests.add(request + " " + body);
        idempotencyKeys.add(
                exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        if (request.contains(" /silent")) {
            return; // is never answered
        }
        if (request.startsWith("GET /long")) {
            respond(exchange, 200, "text/plain; charset=utf-8", "é".repeat(1_500_000));
        } else if (request.startsWith("GET /api.yaml")) {
            respond(exchange, 200, "application/yaml", DOCUMENT);
        } else if (request.contains(" /flaky")) {
            long times =
                    requests.stream().filter(each -> each.startsWith(request)).count();
            respond(exchange, times < 3 ? 503 : 200, "application/json", "{\"times\":" + times + "}");
        } else if (request.contains(" /spare")) {
            exchange.getResponseHeaders().set("Link", "</spare?page=2>; rel=\"next\"");
            respond(exchange, 200, "application/json", "{\"spare\":\"" + request + "\"}");
        } else if (request.startsWith("GET /away") || request.startsWith("GET /v1/away")) {
            exchange.getResponseHeaders().set("Location", "http://127.0.0.2:" + server.port() + "/x");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        } else if (!("Bearer " + TOKEN).equals(shown)) {
            respond(exchange, 401, "text/plain", "not with " + shown);
        } else if (request.startsWith("DELETE")) {
            respond(exchange, 409, "application/json", "{\"why\":\"Bearer " + TOKEN + "\"}");
        } else {
            respond(
                    exchange,
                    200,
                    "application/json",
                    "{\"request\":\"" + request + "\",\"body\":" + (body.isEmpty() ? "null" : body) + ",\"token\":\""
                            + TOKEN + "\"}");
        }
    }

    private static void respond(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void addBackend(String name, String settings) {
        addedBackends.add(name);
        api.post(BACKENDS, "{\"name\":\"" + name + "\",\"kind\":\"http\",\"settings\":" + settings + "}")
                .expectStatus(201);
    }

    private JsonNode awaitBackend(String name, String state, String error) {
        return Await.untilPresent(
                name + " is " + state + " " + error,
                TIMEOUT,
                () -> Optional.of(
                                api.get(BACKENDS + "/" + name).expectStatus(200).json())
                        .filter(b -> b.at("/status/state").asText().equals(state)
                                && b.at("/status/lastError").asText().contains(error)));
    }

    private JsonNode run(String script) {
        JsonNode execution = api.run(SubmissionBody.javascript(script).limit("wallMillis", 30_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        String trace = api.get(
                        RestClient.EXECUTIONS + "/" + execution.path("id").asText() + "/trace")
                .text();
        assertThat(execution + trace).doesNotContain(TOKEN);
        return execution.path("result");
    }

    private void storeToken() {
        api.post(SECRETS, "{\"name\":\"shelter\",\"value\":\"" + TOKEN + "\"}").expectStatus(201);
    }

    @Test
    void scriptsCallDeclaredOperations() {
        storeToken();
        addBackend("shelter", """
                { "baseUrl": "%s/v1", "allowPrivate": true, "headers": { "Authorization": "Bearer ${secret:shelter}" },
                  "operations": {
                    "find": { "method": "GET", "path": "/pets/{name}", "query": { "n": "{n}" } },
                    "adopt": { "method": "POST", "path": "/pets/{name}/adoption" },
                    "away": { "method": "GET", "path": "/away" } } }
                """.formatted(url()));
        awaitBackend("shelter", "ready", "");

        assertThat(run("""
                const found = await shelter.find({ name: "../a b?c", n: 2 });
                const adopted = await shelter.adopt({ name: "Rex", by: "Ada", fee: 1.50 });
                return [found.request, found.token, adopted.request, adopted.body];
                """)).isEqualTo(TestJson.read("""
                ["GET /v1/pets/..%2Fa%20b%3Fc?n=2", "[redacted]", "POST /v1/pets/Rex/adoption", {"by":"Ada","fee":1.5}]
                """));
        assertThat(run("return await shelter.away({}).catch((e) => e.code)").asText())
                .as("where it is sent to is not on its list")
                .isEqualTo("egress-denied");
        assertThat(run("try { await shelter.find({ name: '..' }); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("invalid-arguments");
    }

    @Test
    void scriptsSendFilesAndReadHeaders() {
        addBackend("depot", """
                { "baseUrl": "%s", "allowPrivate": true, "response": "full", "operations": {
                    "put": { "method": "PUT", "path": "/spare/put", "body": "file", "contentType": "image/png" },
                    "upload": { "method": "POST", "path": "/spare/upload", "contentType": "multipart/form-data" },
                    "form": { "method": "POST", "path": "/spare/form",
                      "contentType": "application/x-www-form-urlencoded" },
                    "list": { "method": "GET", "path": "/spare/größe" } } }
                """.formatted(url()));
        awaitBackend("depot", "ready", "");

        assertThat(run("""
                const bytes = new Uint8Array([65, 66]);
                const stored = await depot.put({ file: bytes });
                const sent = await depot.upload({ doc: { content: bytes, type: "image/png", filename: "a.png" } });
                const listed = await depot.list({});
                return [stored.status, sent.body, listed.headers.link];
                """)).isEqualTo(TestJson.read("""
                [200, {"spare": "POST /spare/upload"}, "</spare?page=2>; rel=\\"next\\""]
                """));
        assertThat(requests.get(0)).isEqualTo("PUT /spare/put AB");
        assertThat(requests.get(1))
                .contains("name=\"doc\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nAB\r\n");
        assertThat(requests.get(2)).isEqualTo("GET /spare/gr%C3%B6%C3%9Fe ");
        assertThat(run("""
                const repeated = { ["k".repeat(49000)]: Array(100000).fill(1) };
                const calls = [depot.form(repeated), depot.upload(repeated), depot.form({ f: new Uint8Array([65]) })];
                return await Promise.all(calls.map((call) => call.catch((e) => e.code)));
                """))
                .as("a name that is repeated for each item does not make a body of gigabytes")
                .isEqualTo(TestJson.read("[\"invalid-arguments\", \"invalid-arguments\", \"invalid-arguments\"]"));
        assertThat(requests).hasSize(3);
    }

    private List<JsonNode> trace(JsonNode execution) {
        return api.getTrace(execution.path("id").asText());
    }

    private static List<String> describeCalls(List<JsonNode> trace) {
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
    void idempotentRequestsAreRetriedAndOthersAreNot() {
        addBackend("flaky", """
                { "baseUrl": "%s", "allowPrivate": true, "retryAttempts": 3, "retryMillis": 20, "operations": {
                  "get": { "method": "GET", "path": "/flaky/get" }, "post": { "method": "POST", "path": "/flaky/post" },
                  "put": { "method": "PUT", "path": "/flaky/put" } } }
                """.formatted(url()));
        awaitBackend("flaky", "ready", "");

        JsonNode execution = api.run(SubmissionBody.javascript(
                "return [(await flaky.get({})).times, await flaky.post({}).catch((e) => e.code), (await "
                        + "flaky.put({})).times]"));

        assertThat(execution.path("result")).isEqualTo(TestJson.read("[3, \"backend-unavailable\", 3]"));
        assertThat(requests).filteredOn(request -> request.contains("post")).hasSize(1);
        assertThat(describeCalls(trace(execution)))
                .containsExactly("flaky.get = true 3", "flaky.post = false 1", "flaky.put = true 3");
        String id = execution.path("id").asText();
        assertThat(idempotencyKeys)
                .as("each time the same, of what has an effect")
                .containsExactly(
                        "GET null",
                        "GET null",
                        "GET null",
                        "POST " + id + "/2",
                        "PUT " + id + "/3",
                        "PUT " + id + "/3",
                        "PUT " + id + "/3");
        JsonNode backend = api.get(BACKENDS + "/flaky").expectStatus(200).json();
        assertThat(backend.at("/calls/retried").asInt()).isEqualTo(4);
        assertThat(backend.at("/latency/calls").asInt()).isEqualTo(3);
        assertThat(backend.at("/latency/p99Millis").asDouble())
                .as("two pauses")
                .isGreaterThan(20)
                .isGreaterThanOrEqualTo(backend.at("/latency/p50Millis").asDouble());
        assertThat(backend.path("tools"))
                .allSatisfy(
                        tool -> assertThat(tool.at("/latency/calls").asInt()).isEqualTo(1));
        assertThat(OpenApiResponseValidator.of(api).validate("GET", BACKENDS + "/{name}", api.get(BACKENDS + "/flaky")))
                .isEmpty();
        assertThat(api.get("/metrics").text()).contains("sallyport_backend_retries_total{backend=\"flaky\"} 4");
    }

    @Test
    void fallbackBackendIsUsedWhileAnotherIsUnreachable() {
        String operations = """
                "operations": { "find": { "method": "GET", "path": "/spare/find" },
                  "adopt": { "method": "POST", "path": "/spare/adopt" }%s }
                """;
        addBackend("spare", "{\"baseUrl\":\"" + url() + "\",\"allowPrivate\":true," + operations.formatted("") + "}");
        // No process listens on this port.
        addBackend(
                "main",
                "{\"baseUrl\":\"http://127.0.0.1:1\",\"allowPrivate\":true,\"fallback\":[\"spare\"],"
                        + "\"breakerFailures\":1,"
                        + "\"breakerMillis\":60000,"
                        + operations.formatted(", \"only\": { \"method\": \"GET\", \"path\": \"/only\" }") + "}");
        awaitBackend("spare", "ready", "");
        awaitBackend("main", "ready", "");

        JsonNode execution = api.run(
                SubmissionBody.javascript("return [(await main.find({})).spare, (await main.adopt({ n: 1 })).spare,"
                        + " await main.only({}).catch((e) => e.code)]"));

        assertThat(execution.path("result"))
                .isEqualTo(TestJson.read("[\"GET /spare/find\", \"POST /spare/adopt\", \"backend-unavailable\"]"));
        assertThat(requests).hasSize(2);
        List<JsonNode> trace = trace(execution);
        assertThat(describeCalls(trace))
                .containsExactly(
                        "fallback spare.find",
                        "main.find = true 2",
                        "fallback spare.adopt",
                        "main.adopt = true 1",
                        "main.only = false 1");
        assertThat(OpenApiResponseValidator.of(api)
                        .validate(
                                "GET",
                                RestClient.EXECUTIONS + "/{id}/trace",
                                api.get(RestClient.EXECUTIONS + "/"
                                        + execution.path("id").asText() + "/trace")))
                .isEmpty();
        assertThat(api.get("/metrics").text())
                .contains("sallyport_tool_fallbacks_total{backend=\"main\",other=\"spare\"} 2");

        JsonNode main = api.get(BACKENDS + "/main").expectStatus(200).json();
        assertThat(main.at("/status/state").asText()).isEqualTo("degraded");
        assertThat(main.at("/breaker/state").asText()).isEqualTo("open");
        assertThat(Instant.parse(main.at("/breaker/until").asText()))
                .isAfter(Instant.parse(main.at("/status/since").asText()));
        assertThat(main.at("/breaker/lastFailure").asText()).contains("was not answered");
        assertThat(main.at("/status/lastError").asText())
                .startsWith("its circuit breaker is open")
                .endsWith(main.at("/breaker/lastFailure").asText());
        assertThat(api.get(BACKENDS).json().path("items"))
                .as("why is for those who run the service")
                .anySatisfy(one -> {
                    assertThat(one.path("name").asText()).isEqualTo("main");
                    assertThat(one.at("/breaker/state").asText()).isEqualTo("open");
                    assertThat(one.path("breaker").has("lastFailure")).isFalse();
                });
        assertThat(OpenApiResponseValidator.of(api).validate("GET", BACKENDS, api.get(BACKENDS)))
                .isEmpty();

        // A grant for the main backend alone does not allow calls of its fallback backend.
        JsonNode narrow = api.run(SubmissionBody.javascript("return await main.find({}).catch((e) => e.code)")
                .grants("main.*"));
        assertThat(narrow.path("result").asText()).isEqualTo("backend-unavailable");
        assertThat(requests).hasSize(2);
    }

    @Test
    void scriptsCallTheOperationsOfAnOpenApiDocument() {
        storeToken();
        addBackend(
                "shelter",
                "{\"openapi\":{\"url\":\"" + url() + "/api.yaml\"},\"allowPrivate\":true,"
                        + "\"credentials\":{\"token\":\"secret:shelter\"}}");
        JsonNode ready = awaitBackend("shelter", "ready", "");
        assertThat(ready.path("toolCount").asInt()).isEqualTo(4);
        assertThat(ready.at("/settings/credentials/token").asText()).isEqualTo("secret:shelter");

        assertThat(run("""
                const found = await shelter.findPets({ tag: ["a", "b&c"], limit: 2 });
                const one = await shelter.getPet({ petId: "../x" });
                const stored = await shelter.storePet({ body: { name: "Rex", parent: { name: "Bo" } } });
                const refused = [];
                for (const call of [
                  () => shelter.storePet({ body: { name: 1 } }), () => shelter.storePet({}), () => shelter.findPets({ \
                limit: 0 }),
                  () => shelter.findPets({ colour: "red" }),
                ]) try { await call(); } catch (e) { refused.push(e.code); }
                return { calls: [found.request, one.request, stored.request, stored.body], refused };
                """)).isEqualTo(TestJson.read("""
                {"calls": ["GET /v2/pets?tag=a&tag=b%26c&limit=2", "GET /v2/pets/..%2Fx", "POST /v2/pets", \
                {"name":"Rex","parent":{"name":"Bo"}}],
                 "refused": ["invalid-arguments", "invalid-arguments", "invalid-arguments", "invalid-arguments"]}
                """));
        JsonNode tools = api.get("/api/v1/tools?backend=shelter")
                .expectStatus(200)
                .json()
                .path("items");
        assertThat(tools).anySatisfy(tool -> {
            assertThat(tool.path("name").asText()).isEqualTo("shelter.removePet");
            assertThat(tool.path("destructive").asBoolean()).isTrue();
            assertThat(tool.path("idempotent").asBoolean()).isTrue();
            assertThat(tool.path("description").asText()).endsWith("(DELETE /pets/{petId})");
        });
        assertThat(tools).filteredOn(tool -> tool.path("readOnly").asBoolean()).hasSize(2);
        assertThat(requests.get(0)).startsWith("GET /api.yaml");
    }

    @Test
    void inlineDocumentIsReadAtOnceAndUnreachableDocumentIsRetried() {
        RestResponse refused = api.post(
                BACKENDS,
                "{\"name\":\"sent\",\"kind\":\"http\",\"settings\":{\"baseUrl\":\"" + url()
                        + "\",\"openapi\":{\"document\":{\"openapi\":\"3.1.0\","
                        + "\"paths\":{\"/a\":{\"$ref\":\"https://evil.example/\"}}}}}}");
        refused.expectStatus(400);
        assertThat(refused.json().path("detail").asText()).contains("settings.openapi", "outside the document");
        addBackend(
                "sent",
                "{\"baseUrl\":\"" + url()
                        + "\",\"allowPrivate\":true,\"openapi\":{\"include\":[\"first*\"],\"document\":"
                        + "{\"openapi\":\"3.1.0\",\"paths\":{\"/a\":{\"get\":{\"operationId\":\"firstOne\"},"
                        + "\"post\":{\"operationId\":\"other\"}}}}}}");
        assertThat(awaitBackend("sent", "ready", "").path("toolCount").asInt()).isEqualTo(1);

        addBackend("away", "{\"openapi\":{\"url\":\"" + url() + "/missing.yaml\"},\"allowPrivate\":true}");
        awaitBackend("away", "down", "was answered with status 401");
        Await.until(
                "it is asked for again",
                TIMEOUT,
                () -> requests.stream()
                                .filter(request -> request.startsWith("GET /missing.yaml"))
                                .count()
                        > 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api.yaml | false | an address that is not public",
                "/away     | true  | not in the list of allowed hosts",
            })
    void fetchOfADocumentIsCheckedByTheAddressGuard(String path, boolean inside, String reason) {
        addBackend("guarded", "{\"openapi\":{\"url\":\"" + url() + path + "\"},\"allowPrivate\":" + inside + "}");
        awaitBackend("guarded", "down", reason);
    }

    private static final String DOCUMENT = """
            openapi: 3.0.3
            info: { title: Shelter, version: "1" }
            servers: [ { url: "/{version}", variables: { version: { default: v2 } } }, { url: \
            "https://elsewhere.example" } ]
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

    @Test
    void onlyCallsThatMayBeRepeatedAreRetryableWithoutAnAnswerInTime() {
        addBackend("silent", """
                { "baseUrl": "%s", "allowPrivate": true, "timeoutMillis": 1000, "operations": {
                  "get": { "method": "GET", "path": "/silent/get" },
                  "put": { "method": "PUT", "path": "/silent/put" },
                  "post": { "method": "POST", "path": "/silent/post" } } }
                """.formatted(url()));
        awaitBackend("silent", "ready", "");

        assertThat(run("""
                const told = [];
                for (const call of [silent.get, silent.put, silent.post])
                  await call({}).catch((e) => told.push(`${e.code} ${e.retryable}`));
                return told;
                """))
                .extracting(JsonNode::asText)
                .satisfiesExactly(
                        // The time of the connection passes at the same moment as that of the call.
                        get -> assertThat(get).isIn("timeout true", "backend-unavailable true"),
                        put -> assertThat(put).isIn("timeout true", "backend-unavailable true"),
                        post -> assertThat(post).isEqualTo("outcome-unknown false"));
    }

    @Test
    void resultOfSeveralMegabytesReachesTheScript() {
        addBackend("books", """
                { "baseUrl": "%s", "allowPrivate": true, "operations": {
                  "read": { "method": "GET", "path": "/long" } } }
                """.formatted(url()));
        awaitBackend("books", "ready", "");

        assertThat(run("return (await books.read({})).length").asInt()).isEqualTo(1_500_000);
    }
}
