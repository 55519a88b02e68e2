package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;

/** Variables of a tenant, and the capabilities that declare them. */
@ExtendWith(ServerExtension.class)
class VariablesIT {
    private static final String VARIABLES = "/api/v1/variables";
    private static final String CAPABILITIES = "/api/v1/capabilities";
    private static final String SECRET = "hunter2-4711-variable";

    private final RestClient api;
    private final OpenApiResponseValidator description;

    VariablesIT(TestTenant tenant) {
        this.api = tenant.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    private RestResponse assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private JsonNode set(String name, String body, int status) {
        RestResponse answer = api.send(api.request(VARIABLES + "/" + name)
                .header("Content-Type", "application/json")
                .PUT(RestClient.body(body)));
        return assertDescribed("PUT", VARIABLES + "/{name}", status, answer).json();
    }

    private void delete(String name, int status) {
        RestResponse answer = api.send(api.request(VARIABLES + "/" + name).DELETE());
        assertDescribed("DELETE", VARIABLES + "/{name}", status, answer);
    }

    private JsonNode publish(String name, String code, int status, String... env) {
        ObjectNode body =
                TestJson.object().put("name", name).put("version", "1.0.0").put("code", code);
        List.of(env).forEach(body.putArray("env")::add);
        return assertDescribed("POST", CAPABILITIES, status, api.post(CAPABILITIES, TestJson.write(body)))
                .json();
    }

    private JsonNode run(String name, int status) {
        RestResponse answer =
                api.send(api.submissionRequest("{\"capability\": \"" + name + "\"}", "Prefer", "wait=30"));
        return assertDescribed("POST", RestClient.EXECUTIONS, status, answer).json();
    }

    private String submit(String body) {
        return api.send(api.submissionRequest(body))
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
    }

    private JsonNode rerun(JsonNode original, String body) {
        String id = api.post(RestClient.EXECUTIONS + "/" + original.path("id").asText() + "/rerun", body)
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
        return api.awaitEnd(id);
    }

    private static void assertNamesUnset(JsonNode problem, String name, String command) {
        assertThat(problem.path("type").asText()).isEqualTo("urn:sallyport:problem:variables-not-set");
        assertThat(problem.path("variables")).isEqualTo(TestJson.read("[\"" + name + "\"]"));
        assertThat(problem.path("detail").asText()).contains(command);
    }

    @Test
    void variablesAreSetListedAndDeleted() {
        JsonNode first = set("LIST_A", "{\"value\": \"\"}", 200);
        assertThat(first.path("version").asInt()).isEqualTo(1);
        assertThat(set("LIST_A", "{\"value\": \"\"}", 200)).isEqualTo(first);
        assertThat(set("LIST_A", "{\"value\": \"x\"}", 200).path("version").asInt())
                .isEqualTo(2);
        JsonNode listed =
                assertDescribed("GET", VARIABLES, 200, api.get(VARIABLES)).json();
        assertThat(listed.path("items").findValuesAsText("name")).contains("LIST_A");

        for (String bad : List.of(
                "{}",
                "{\"value\": 1}",
                "{\"value\": \"x\", \"secret\": \"y\"}",
                "{\"secret\": \"no-such-secret\"}",
                "{\"value\": \"" + "x".repeat(16_385) + "\"}",
                "{\"value\": \"x\", \"more\": 1}")) {
            set("LIST_A", bad, 400);
        }
        for (String name : List.of("1A", "A-B", "A%20B", "x".repeat(201))) {
            set(name, "{\"value\": \"x\"}", 400);
        }
        delete("LIST_A", 204);
        delete("LIST_A", 404);
        delete("1A", 404);
    }

    @Test
    void onlyOperatorsChangeVariables() {
        String key = api.post("/api/v1/api-keys", "{\"name\": \"s\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        RestClient submitter = api.withKey(key);
        assertThat(submitter.get(VARIABLES).status()).isEqualTo(403);
        assertThat(submitter
                        .send(submitter
                                .request(VARIABLES + "/REGION")
                                .header("Content-Type", "application/json")
                                .PUT(RestClient.body("{\"value\": \"x\"}")))
                        .status())
                .isEqualTo(403);
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/capabilities.md"));
        Matcher block =
                Pattern.compile("```json variables\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        set("EXAMPLE_REGION", "{\"value\": \"eu-1\"}", 200);
        assertDescribed("POST", CAPABILITIES, 201, api.post(CAPABILITIES, block.group(1)));
        assertThat(run("example.region", 200).path("result").asText()).isEqualTo("https://eu-1.example.com");
    }

    @Test
    void missingVariableIsRefusedAtPublishAndRunWithTheCommand() {
        String code = "export default () => [Object.keys(env), env.MISSING_A, Object.isFrozen(env)];";
        String command = "sallyport variables set MISSING_A";
        assertNamesUnset(publish("missing.one", code, 422, "MISSING_A"), "MISSING_A", command);
        set("MISSING_A", "{\"value\": \"a\"}", 200);
        set("MISSING_B", "{\"value\": \"b\"}", 200);
        publish("missing.one", code, 201, "MISSING_A");
        JsonNode before = run("missing.one", 200);
        assertThat(before.path("result")).isEqualTo(TestJson.read("[[\"MISSING_A\"], \"a\", true]"));

        delete("MISSING_A", 204);
        assertNamesUnset(run("missing.one", 422), "MISSING_A", command);
        assertThat(rerun(before, "{\"mode\": \"fresh\"}").path("result")).isEqualTo(before.path("result"));
        assertThat(rerun(before, "{\"mode\": \"fresh\", \"code\": \"return Object.keys(env)\"}")
                        .path("result"))
                .isEmpty();

        JsonNode batch = api.post(
                        "/api/v1/batches", "{\"items\": [{\"capability\": \"missing.one\"}, {\"code\": \"return 1\"}]}")
                .expectStatus(202)
                .json();
        assertThat(batch.toString()).contains("variables-not-set");
        JsonNode schedule = api.post(
                        "/api/v1/schedules",
                        "{\"name\": \"missing\", \"everyMillis\": 86400000,"
                                + " \"run\": {\"capability\": \"missing.one\"}}")
                .expectStatus(422)
                .json();
        assertNamesUnset(schedule, "MISSING_A", command);

        String nested = submit("{\"code\": \"try { return await capabilities.missing.one({}) }"
                + " catch (e) { return [e.code, e.message] }\"}");
        assertThat(api.awaitEnd(nested).path("result").toString()).contains("variables-not-set", command);
    }

    @Test
    void variablesThatAreTooLargeTogetherAreRefused() {
        String[] names = IntStream.range(0, 9).mapToObj(i -> "LARGE_" + i).toArray(String[]::new);
        for (String name : names) {
            set(name, "{\"value\": \"small\"}", 200);
        }
        publish("large.one", "export default () => env.LARGE_0.length;", 201, names);
        for (String name : names) {
            set(name, "{\"value\": \"" + "x".repeat(16_000) + "\"}", 200);
        }

        JsonNode refused = run("large.one", 422);
        assertThat(refused.path("type").asText()).isEqualTo("urn:sallyport:problem:variables-too-large");
        assertThat(refused.path("limit").asInt()).isEqualTo(131_072);
        assertThat(publish("large.two", "export default () => 1;", 422, names)
                        .path("type")
                        .asText())
                .isEqualTo("urn:sallyport:problem:variables-too-large");
        String nested = submit(
                "{\"code\": \"try { return await capabilities.large.one({}) }" + " catch (e) { return e.code }\"}");
        assertThat(api.awaitEnd(nested).path("result").asText()).isEqualTo("too-large");

        set("LARGE_0", "{\"value\": \"small\"}", 200);
        assertThat(run("large.one", 200).path("result").asInt()).isEqualTo(5);
    }

    @Test
    void acceptedExecutionKeepsItsValues() {
        set("PINNED", "{\"value\": \"old\"}", 200);
        publish("pinned.one", "export default () => env.PINNED;", 201, "PINNED");
        String id = submit("{\"capability\": \"pinned.one\", \"delayMillis\": 1500}");
        set("PINNED", "{\"value\": \"new\"}", 200);
        assertThat(api.awaitEnd(id).path("result").asText()).isEqualTo("old");
        assertThat(run("pinned.one", 200).path("result").asText()).isEqualTo("new");
        String nested = submit("{\"code\": \"return await capabilities.pinned.one({})\"}");
        assertThat(api.awaitEnd(nested).path("result").asText()).isEqualTo("new");
    }

    @Test
    void secretIsSeenByTheScriptAndRedactedEverywhere() {
        api.post("/api/v1/secrets", "{\"name\": \"variable-key\", \"value\": \"" + SECRET + "\"}")
                .expectStatus(201);
        set("SECRET_KEY", "{\"secret\": \"variable-key\"}", 200);
        assertThat(api.get(VARIABLES).text()).contains("variable-key").doesNotContain(SECRET);
        publish(
                "secret.one",
                "export default async () => { console.log(env.SECRET_KEY); await demo.echo(env.SECRET_KEY);"
                        + " return [env.SECRET_KEY, env.SECRET_KEY.length]; };",
                201,
                "SECRET_KEY");
        JsonNode ran = run("secret.one", 200);
        String path = RestClient.EXECUTIONS + "/" + ran.path("id").asText();
        for (String shown : List.of(
                ran.toString(),
                api.get(path).text(),
                api.get(path + "/trace").text(),
                api.get(path + "/output").text(),
                api.get(path + "/journal").text())) {
            assertThat(shown).doesNotContain(SECRET);
        }
        publish("secret.taker", "export default (args) => args.key.length;", 201);
        api.post(CAPABILITIES, """
                {"name": "secret.giver", "version": "1.0.0", "env": ["SECRET_KEY"],
                 "tools": ["capabilities.secret.taker"],
                 "code": "export default () => capabilities.secret.taker({ key: env.SECRET_KEY });"}
                """).expectStatus(201);
        JsonNode giver = run("secret.giver", 200);
        assertThat(giver.path("result").asInt()).as(giver.toString()).isEqualTo(SECRET.length());
        String children = RestClient.EXECUTIONS + "/" + giver.path("id").asText() + "/children";
        String child = api.get(children).json().at("/items/0/id").asText();
        assertThat(api.get(RestClient.EXECUTIONS + "/" + child).text())
                .contains("\"args\"")
                .doesNotContain(SECRET);
        assertThat(api.send(api.request("/api/v1/secrets/variable-key").DELETE())
                        .status())
                .isEqualTo(204);
        assertNamesUnset(run("secret.one", 422), "SECRET_KEY", "sallyport secrets set variable-key");
        JsonNode secondRun = rerun(ran, "{\"mode\": \"fresh\"}");
        assertThat(secondRun.path("result")).isEqualTo(ran.path("result"));
        assertThat(secondRun.toString()).doesNotContain(SECRET);
    }
}
