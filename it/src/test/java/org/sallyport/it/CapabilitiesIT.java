package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Capabilities (published scripts). */
@ExtendWith(ServerExtension.class)
class CapabilitiesIT {
    private static final String ALL = "/api/v1/capabilities";
    private static final String ONE = ALL + "/{name}/versions/{version}";
    private static final String CODE = "export default ({ price }) => tools.demo.add({ a: price, b: 1 });";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RestClient api;
    private final OpenApiResponseValidator description;
    /** Unique name, because test classes share a server. */
    private final String name = "fees.a" + UUID.randomUUID().toString().substring(0, 8);

    CapabilitiesIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private RestResponse assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private ObjectNode newFeesCapability(String version, String code) {
        ObjectNode body =
                TestJson.object().put("name", name).put("version", version).put("code", code);
        body.put("description", "Adds Fees");
        body.set("inputSchema", TestJson.read("""
                {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}"""));
        body.set("outputSchema", TestJson.read("{\"type\": \"number\"}"));
        body.putArray("tools").add("demo.add");
        return body;
    }

    private JsonNode publish(ObjectNode body, int status) {
        return assertDescribed("POST", ALL, status, api.post(ALL, TestJson.write(body)))
                .json();
    }

    private JsonNode run(String members, int status) {
        RestResponse answer = api.send(api.submissionRequest(
                "{\"capability\": \"" + name + "\"" + (members.isEmpty() ? "" : ", " + members) + "}",
                "Prefer",
                "wait=30"));
        return assertDescribed("POST", RestClient.EXECUTIONS, status, answer).json();
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/capabilities.md"));
        Matcher block =
                Pattern.compile("```json (\\w+)\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        JsonNode published =
                assertDescribed("POST", ALL, 201, api.post(ALL, block.group(2))).json();
        assertThat(published.path("tested").asBoolean()).isTrue();
        assertThat(block.find()).isTrue();
        RestResponse ran = api.send(api.submissionRequest(block.group(2), "Prefer", "wait=30"));
        assertThat(assertDescribed("POST", RestClient.EXECUTIONS, 200, ran)
                        .json()
                        .path("result")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void publishedVersionRunsByNameAndIsImmutable() {
        JsonNode first = publish(newFeesCapability("1.0.0", CODE), 201);
        assertThat(publish(newFeesCapability("1.0.0", CODE), 200)).isEqualTo(first);
        assertThat(publish(newFeesCapability("1.0.0", CODE + " "), 409).path("hash"))
                .isEqualTo(first.path("hash"));
        publish(newFeesCapability("1.10.0", CODE.replace("b: 1", "b: 10")), 201);
        publish(newFeesCapability("2.0.0-rc.1", CODE.replace("b: 1", "b: 100")), 201);

        assertThat(run("\"args\": {\"price\": 2}", 200).path("result").asInt()).isEqualTo(12);
        assertThat(run("\"version\": \"latest\", \"args\": {\"price\": 2}", 200)
                        .path("result")
                        .asInt())
                .isEqualTo(102);
        JsonNode exact = run(
                "\"version\": \"1.0.0\", \"args\": {\"price\": 2}, \"integrity\": "
                        + first.path("hash").toString(),
                200);
        assertThat(exact.path("result").asInt()).isEqualTo(3);
        assertThat(exact.path("capability").asText()).isEqualTo(name + "@1.0.0");
        assertThat(exact.path("grants")).isEqualTo(TestJson.read("[\"demo.add\"]"));

        JsonNode versions = assertDescribed("GET", ALL + "/{name}", 200, api.get(ALL + "/" + name))
                .json();
        assertThat(versions.path("latest").asText()).isEqualTo("2.0.0-rc.1");
        assertThat(versions.path("stable").asText()).isEqualTo("1.10.0");
        assertThat(versions.path("versions").findValuesAsText("version"))
                .containsExactly("2.0.0-rc.1", "1.10.0", "1.0.0");
        String path = ALL + "/" + name + "/versions/";
        assertThat(assertDescribed("GET", ONE, 200, api.get(path + "stable"))
                        .json()
                        .path("version")
                        .asText())
                .isEqualTo("1.10.0");
        assertThat(assertDescribed("GET", ONE + "/code", 200, api.get(path + "1.0.0/code"))
                        .json()
                        .path("code")
                        .asText())
                .isEqualTo(CODE);

        List<String> ids = executions(name);
        assertThat(ids).hasSize(3).contains(exact.path("id").asText());
        assertThat(executions(name + "@1.0.0")).containsExactly(exact.path("id").asText());
    }

    @Test
    void batchItemsRunCapabilitiesByName() {
        JsonNode published = publish(
                newFeesCapability(
                        "1.0.0",
                        "export default ({ price }) => { if (price > 100) throw new Error('dear');"
                                + " return price + 1; };"),
                201);
        String items = """
                {"items": [{"args": {"price": 2}}, {"args": {"price": "x"}}, {"version": "9.9.9", "args": {"price": 2}},
                  {"args": {"price": 200}}, {"code": "return 1"}, {"version": "stable", "args": {"price": 5}},
                  {"integrity": "%s", "args": {"price": 7}}, {"integrity": "sha256-00", "args": {"price": 7}}],
                 "defaults": {"capability": "%s", "version": "1.0.0"}}
                """.formatted(published.path("hash").asText(), name);
        String batches = "/api/v1/batches";
        JsonNode batch =
                assertDescribed("POST", batches, 202, api.post(batches, items)).json();
        JsonNode verdicts = batch.path("items");
        assertThat(verdicts.at("/1/problem/type").asText()).endsWith(":invalid-arguments");
        assertThat(verdicts.at("/1/problem/pointer").asText()).isEqualTo("/price");
        assertThat(verdicts.at("/2/problem/type").asText()).endsWith(":not-found");
        assertThat(verdicts.at("/7/problem/type").asText()).endsWith(":integrity-mismatch");
        assertThat(batch.path("capability").asText()).isEqualTo(name + "@1.0.0");
        assertThat(api.awaitEnd(verdicts.at("/4/execution").asText())
                        .path("result")
                        .asInt())
                .as("an item with a script of its own")
                .isEqualTo(1);
        JsonNode first = api.awaitEnd(verdicts.at("/0/execution").asText());
        assertThat(first.path("result").asInt()).isEqualTo(3);
        assertThat(first.path("capability").asText()).isEqualTo(name + "@1.0.0");
        assertThat(first.path("grants")).isEqualTo(TestJson.read("[\"demo.add\"]"));
        JsonNode last = api.awaitEnd(verdicts.at("/5/execution").asText());
        assertThat(last.path("result").asInt()).isEqualTo(6);
        JsonNode intact = api.awaitEnd(verdicts.at("/6/execution").asText());
        assertThat(intact.path("result").asInt()).as("the hash is right").isEqualTo(8);
        JsonNode dear = api.awaitEnd(verdicts.at("/3/execution").asText());
        assertThat(dear.path("state").asText()).isEqualTo("FAILED");

        JsonNode retryBatch = api.post(batches + "/" + batch.path("id").asText() + "/retry", "{}")
                .expectStatus(202)
                .json();
        assertThat(retryBatch.path("total").asInt()).isEqualTo(1);
        JsonNode retried = api.awaitEnd(retryBatch.at("/items/0/execution").asText());
        assertThat(retried.at("/error/message").asText()).contains("dear");
        assertThat(retried.path("rerunOf")).isEqualTo(dear.path("id"));
        assertThat(retried.path("grants")).isEqualTo(first.path("grants"));
    }

    private List<String> executions(String capability) {
        return assertDescribed(
                        "GET", RestClient.EXECUTIONS, 200, api.get(RestClient.EXECUTIONS + "?capability=" + capability))
                .json()
                .path("items")
                .findValuesAsText("id");
    }

    @Test
    void contractViolationsAreRefused() {
        publish(newFeesCapability("1.0.0", CODE), 201);
        JsonNode bad = run("\"args\": {\"price\": \"2\"}", 422);
        assertThat(bad.path("type").asText()).endsWith(":invalid-arguments");
        assertThat(bad.path("pointer").asText()).isEqualTo("/price");
        assertThat(run("", 422).path("pointer").asText()).isEmpty();
        assertThat(run("\"args\": {\"price\": 1}, \"integrity\": \"sha256-00\"", 422)
                        .path("type")
                        .asText())
                .endsWith(":integrity-mismatch");
        run("\"args\": {\"price\": 1}, \"version\": \"9.9.9\"", 404);
        run("\"args\": {\"price\": 1}, \"version\": \"newest\"", 404);
        run("\"code\": \"return 1\"", 400);

        JsonNode ungranted = run("\"args\": {\"price\": 1}, \"grants\": [\"demo.echo\"]", 200);
        assertThat(ungranted.path("grants")).isEmpty();
        assertThat(ungranted.at("/error/code").asText()).isEqualTo("not-granted");
        publish(newFeesCapability("1.0.1", "return 'three'"), 201);
        JsonNode mismatch = run("\"args\": {\"price\": 1}", 200);
        assertThat(mismatch.path("state").asText()).isEqualTo("FAILED");
        assertThat(mismatch.at("/error/code").asText()).isEqualTo("output-mismatch");
    }

    @Test
    void capabilityWithFailingTestsIsNotPublished() {
        String tests =
                "test('adds', async () => { mock('demo.add', 3); assert.is(await main({ price: 2 }), WANTED) });";
        JsonNode refused = publish(newFeesCapability("1.0.0", CODE).put("tests", tests.replace("WANTED", "4")), 422);
        assertThat(refused.path("type").asText()).endsWith(":tests-failed");
        assertThat(refused.at("/report/summary/failed").asInt()).isEqualTo(1);
        assertThat(api.get(ALL + "/" + name).status()).isEqualTo(404);
        assertThat(publish(newFeesCapability("1.0.0", CODE).put("tests", "test('a', =>"), 422)
                        .path("member")
                        .asText())
                .isEqualTo("tests");
        publish(newFeesCapability("1.0.0", "return +"), 422);

        JsonNode published = publish(newFeesCapability("1.0.0", CODE).put("tests", tests.replace("WANTED", "3")), 201);
        assertThat(api.getExecution(published.path("testRun").asText())
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void deprecatedVersionIsFoundOnlyByItsExactNumber() {
        publish(newFeesCapability("1.0.0", CODE), 201);
        publish(newFeesCapability("1.1.0", CODE), 201);
        String path = ALL + "/" + name + "/versions/";
        JsonNode old = assertDescribed(
                        "POST", ONE + "/deprecate", 200, api.post(path + "1.1.0/deprecate", "{\"reason\": \"slow\"}"))
                .json();
        assertThat(old.at("/deprecated/reason").asText()).isEqualTo("slow");
        assertThat(api.get(path + "stable").json().path("version").asText()).isEqualTo("1.0.0");
        assertThat(run("\"version\": \"1.1.0\", \"args\": {\"price\": 2}", 200)
                        .path("result")
                        .asInt())
                .isEqualTo(3);
        assertDescribed("POST", ONE + "/deprecate", 404, api.post(path + "3.0.0/deprecate", "{}"));
    }

    @Test
    void namesAreListedPageByPage() {
        for (String each : List.of("a", "b", "c")) {
            publish(newFeesCapability("1.0.0", CODE).put("name", name + "." + each), 201);
        }
        JsonNode page = assertDescribed(
                        "GET", ALL, 200, api.get(ALL + "?limit=2&q=" + name.toUpperCase(java.util.Locale.ROOT)))
                .json();
        assertThat(page.path("items").findValuesAsText("name")).containsExactly(name + ".a", name + ".b");
        JsonNode rest = assertDescribed(
                        "GET",
                        ALL,
                        200,
                        api.get(ALL + "?q=" + name + "&cursor="
                                + page.path("next").asText()))
                .json();
        assertThat(rest.path("items").findValuesAsText("name")).containsExactly(name + ".c");
        assertDescribed("GET", ALL, 400, api.get(ALL + "?cursor=x"));
        assertThat(api.get(ALL + "/%C3%A9").status()).isEqualTo(404);
    }

    @Test
    void invalidCapabilityIsRefusedWithTheReason() {
        for (ObjectNode bad : List.of(
                newFeesCapability("1.0", CODE),
                newFeesCapability("1.0.0+build", CODE),
                newFeesCapability("1.0.0", " "),
                newFeesCapability("1.0.0", CODE).put("name", "Fees"),
                newFeesCapability("1.0.0", CODE).put("name", "a..b"),
                newFeesCapability("1.0.0", CODE).put("more", 1),
                newFeesCapability("1.0.0", CODE).set("inputSchema", TestJson.read("7")),
                newFeesCapability("1.0.0", CODE).set("inputSchema", TestJson.read("{\"type\": \"nothing\"}")),
                newFeesCapability("1.0.0", CODE)
                        .set("outputSchema", TestJson.read("{\"$ref\": \"http://127.0.0.1:9/x\"}")),
                newFeesCapability("1.0.0", CODE).set("env", TestJson.read("[\"A B\"]")))) {
            assertThat(publish(bad, 400).path("member").isTextual() || bad.has("more"))
                    .isTrue();
        }
    }

    /** By default, the installation runs no capability in its own process. */
    @Test
    void sandboxThatTheInstallationDoesNotAllowIsRefused() {
        JsonNode refused = publish(newFeesCapability("1.0.0", CODE).put("sandbox", "in-process"), 422);
        assertThat(refused.path("type").asText()).isEqualTo("urn:sallyport:problem:sandbox-not-allowed");
        assertThat(refused.path("detail").asText()).contains("sallyport.sandbox.allow-in-process-capabilities");
        publish(newFeesCapability("1.0.0", CODE).put("sandbox", "process"), 201);
        JsonNode ran = run("\"args\": {\"price\": 2}", 200);
        assertThat(ran.path("result").asInt()).as(ran.toString()).isEqualTo(3);
    }

    @Test
    void capabilitiesBrokenByABackendChangeAreListedBeforeTheyRun() throws IOException {
        String backend = name.replace("fees.", "");
        String tool = backend + ".look";
        HttpServer shop = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        shop.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write('7');
            exchange.close();
        });
        shop.start();
        try {
            defineBackend(backend, shop, "{\"type\": \"object\", \"properties\": {\"price\": {\"type\": \"number\"}}}");
            ObjectNode body = newFeesCapability("1.0.0", "export default (args) => tools." + tool + "(args);");
            body.putArray("tools").add(tool);
            JsonNode published = publish(body, 201);
            assertThat(published.path("contract").path(tool).asText()).hasSize(64);
            JsonNode ran = run("\"args\": {\"price\": 2}", 200);
            assertThat(ran.path("result").asInt()).as(ran.toString()).isEqualTo(7);
            String keyed = submitWithKey().expectStatus(202).json().path("id").asText();
            api.awaitEnd(keyed);
            assertThat(findBroken()).isEmpty();
            awaitUsedTool(tool, "same");
            JsonNode used = usedTools().path(0);
            assertThat(used.path("hash").asText())
                    .isEqualTo(published.path("contract").path(tool).asText());
            assertThat(used.path("since")).isEqualTo(used.path("lastUsedAt"));

            defineBackend(backend, shop, "{\"type\": \"object\", \"required\": [\"region\"]}");
            Await.until(
                    "the service lists the broken version",
                    TIMEOUT,
                    () -> !findBroken().isEmpty());
            assertThat(findBroken()).singleElement().satisfies(version -> {
                assertThat(version.path("version").asText()).isEqualTo("1.0.0");
                JsonNode breach = version.at("/breaches/0");
                assertThat(breach.path("tool").asText()).isEqualTo(tool);
                assertThat(breach.path("kind").asText()).isEqualTo("arguments");
                assertThat(breach.path("reason").asText()).contains("region");
                assertThat(breach.path("execution").asText())
                        .as("the newest run")
                        .isEqualTo(keyed);
            });
            awaitUsedTool(tool, "changed");
            String stable = ALL + "/" + name + "/versions/stable";
            JsonNode version = assertDescribed("GET", ONE, 200, api.get(stable + "?breaches=true"))
                    .json();
            assertThat(version.path("breaches")).hasSize(1);
            assertThat(assertDescribed("GET", ONE, 200, api.get(stable)).json().has("breaches"))
                    .as("nobody asked")
                    .isFalse();
            assertThat(assertDescribed("GET", ONE, 400, api.get(stable + "?breaches=maybe"))
                            .problemType())
                    .isEqualTo("validation");
            JsonNode failed = run("\"args\": {\"price\": 2}", 200);
            assertThat(failed.at("/error/code").asText()).as(failed.toString()).isEqualTo("tool-quarantined");
            assertThat(failed.at("/error/contract/kind").asText()).isEqualTo("arguments");
            api.send(api.request("/api/v1/backends/" + backend).DELETE());
            Await.until(
                    "it is gone",
                    TIMEOUT,
                    () -> findBroken().stream()
                            .anyMatch(
                                    each -> each.at("/breaches/0/kind").asText().equals("gone")));
            awaitUsedTool(tool, "gone");
            assertRefusedWithoutTool(body.put("version", "1.0.1"), tool);
            // The earlier request was accepted, and its client may have lost the answer.
            assertThat(submitWithKey().expectStatus(202).json().path("id").asText())
                    .isEqualTo(keyed);
        } finally {
            api.send(api.request("/api/v1/backends/" + backend).DELETE());
            shop.stop(0);
        }
        assertThat(assertDescribed("GET", ALL, 400, api.get(ALL + "?broken=maybe"))
                        .problemType())
                .isEqualTo("validation");
    }

    private RestResponse submitWithKey() {
        return api.send(api.submissionRequest(
                "{\"capability\": \"" + name + "\", \"args\": {\"price\": 2}}", "Idempotency-Key", name));
    }

    private JsonNode usedTools() {
        return assertDescribed("GET", ONE, 200, api.get(ALL + "/" + name + "/versions/1.0.0"))
                .json()
                .path("usedTools");
    }

    /** Waits until version 1.0.0 has used only this tool, whose schema is in this state now. */
    private void awaitUsedTool(String tool, String schema) {
        Await.until(tool + " to be used and " + schema, TIMEOUT, () -> {
            JsonNode used = usedTools();
            return used.size() == 1
                    && used.at("/0/tool").asText().equals(tool)
                    && used.at("/0/schema").asText().equals(schema);
        });
    }

    /** The published version, and a new one, are refused everywhere before anything runs. */
    private void assertRefusedWithoutTool(ObjectNode next, String tool) {
        String args = "\"args\": {\"price\": 2}";
        assertNamesMissing(publish(next, 422), tool);
        assertNamesMissing(run(args, 422), tool);
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{\"capability\": \"" + name + "\", " + args + "}, {\"code\": \"return 1\"}]}")
                .expectStatus(202)
                .json();
        assertThat(batch.toString()).contains("tools-missing");
        JsonNode schedule = api.post(
                        "/api/v1/schedules",
                        "{\"name\": \"missing-" + name.replace('.', '-') + "\", \"everyMillis\": 86400000,"
                                + " \"run\": {\"capability\": \"" + name + "\", " + args + "}}")
                .expectStatus(422)
                .json();
        assertNamesMissing(schedule, tool);
        JsonNode nested = api.run(SubmissionBody.javascript("try { return await capabilities." + name
                + "({ price: 2 }) } catch (e) { return [e.code, e.message] }"));
        assertThat(nested.path("result").toString()).contains("tools-missing", "'" + tool + "'");
        assertDeliveryIsRefusedForNow(tool);
    }

    /** The sender of a webhook sends it again, and its owner sees the reason. */
    private void assertDeliveryIsRefusedForNow(String tool) {
        JsonNode webhook = api.post(
                        "/api/v1/inbound-webhooks",
                        "{\"name\": \"" + name.replace('.', '-') + "\", \"capability\": \"" + name + "\"}")
                .expectStatus(201)
                .json();
        RestResponse refused = api.withoutKey()
                .post(webhook.path("path").asText(), "{\"price\": 2}")
                .expectStatus(503);
        assertThat(refused.text()).contains("send it again").doesNotContain(name, tool);
        JsonNode listed = api.get("/api/v1/inbound-webhooks").expectStatus(200).json();
        assertThat(listed.at("/items/0/lastResult").asText()).contains("'" + tool + "' does not exist");
    }

    private static void assertNamesMissing(JsonNode problem, String tool) {
        assertThat(problem.path("type").asText())
                .as(problem.toString())
                .isEqualTo("urn:sallyport:problem:tools-missing");
        assertThat(problem.at("/tools/0/tool").asText()).isEqualTo(tool);
        assertThat(problem.at("/tools/0/backend").asText()).isEqualTo(tool.substring(0, tool.indexOf('.')));
        assertThat(problem.path("detail").asText()).contains("'" + tool + "' does not exist");
    }

    private List<JsonNode> findBroken() {
        List<JsonNode> versions = new ArrayList<>();
        assertDescribed("GET", ALL, 200, api.get(ALL + "?broken=true&q=" + name))
                .json()
                .path("items")
                .forEach(item -> item.path("broken").forEach(versions::add));
        return versions;
    }

    /** Adds a backend with one tool, or replaces the input schema of that tool. */
    private void defineBackend(String backend, HttpServer shop, String schema) {
        String settings = """
                {"kind": "http", "settings": {"baseUrl": "http://127.0.0.1:%d", "allowPrivate": true,
                 "operations": {"look": {"method": "GET", "path": "/look",
                  "inputSchema": %s}}}}""".formatted(shop.getAddress().getPort(), schema);
        String path = "/api/v1/backends/" + backend;
        if (api.get(path).status() == 404) {
            api.post("/api/v1/backends", settings.replaceFirst("\\{", "{\"name\": \"" + backend + "\", "))
                    .expectStatus(201);
        } else {
            api.send(api.request(path)
                            .header("Content-Type", "application/json")
                            .PUT(RestClient.body(settings)))
                    .expectStatus(200);
        }
        Await.until(
                "the backend is ready",
                TIMEOUT,
                () -> api.get(path).json().at("/status/state").asText().equals("ready"));
    }
}
