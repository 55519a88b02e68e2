package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;

/** Published scripts. */
@ExtendWith(Servers.class)
class CapabilitiesIT {
    private static final String ALL = "/api/v1/capabilities";
    private static final String ONE = ALL + "/{name}/versions/{version}";
    private static final String CODE = "export default ({ price }) => tools.demo.add({ a: price, b: 1 });";

    private final Api api;
    private final Description description;
    /** Tests share a server. */
    private final String name = "fees.a" + UUID.randomUUID().toString().substring(0, 8);

    CapabilitiesIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    private Answer described(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private ObjectNode fees(String version, String code) {
        ObjectNode body =
                Json.object().put("name", name).put("version", version).put("code", code);
        body.put("description", "Adds Fees");
        body.set("inputSchema", Json.read("""
                {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}"""));
        body.set("outputSchema", Json.read("{\"type\": \"number\"}"));
        body.putArray("tools").add("demo.add");
        return body;
    }

    private JsonNode publish(ObjectNode body, int status) {
        return described("POST", ALL, status, api.post(ALL, Json.write(body))).json();
    }

    private JsonNode run(String members, int status) {
        Answer answer = api.send(api.submission(
                "{\"capability\": \"" + name + "\"" + (members.isEmpty() ? "" : ", " + members) + "}",
                "Prefer",
                "wait=30"));
        return described("POST", Api.EXECUTIONS, status, answer).json();
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(Checkout.home().resolve("docs/capabilities.md"));
        Matcher block =
                Pattern.compile("```json (\\w+)\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        JsonNode published =
                described("POST", ALL, 201, api.post(ALL, block.group(2))).json();
        assertThat(published.path("tested").asBoolean()).isTrue();
        assertThat(block.find()).isTrue();
        Answer ran = api.send(api.submission(block.group(2), "Prefer", "wait=30"));
        assertThat(described("POST", Api.EXECUTIONS, 200, ran)
                        .json()
                        .path("result")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void aPublishedVersionIsRunByItsNameAndNeverChanged() {
        JsonNode first = publish(fees("1.0.0", CODE), 201);
        assertThat(publish(fees("1.0.0", CODE), 200)).isEqualTo(first);
        assertThat(publish(fees("1.0.0", CODE + " "), 409).path("hash")).isEqualTo(first.path("hash"));
        publish(fees("1.10.0", CODE.replace("b: 1", "b: 10")), 201);
        publish(fees("2.0.0-rc.1", CODE.replace("b: 1", "b: 100")), 201);

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
        assertThat(exact.path("grants")).isEqualTo(Json.read("[\"demo.add\"]"));

        JsonNode versions = described("GET", ALL + "/{name}", 200, api.get(ALL + "/" + name))
                .json();
        assertThat(versions.path("latest").asText()).isEqualTo("2.0.0-rc.1");
        assertThat(versions.path("stable").asText()).isEqualTo("1.10.0");
        assertThat(versions.path("versions").findValuesAsText("version"))
                .containsExactly("2.0.0-rc.1", "1.10.0", "1.0.0");
        String path = ALL + "/" + name + "/versions/";
        assertThat(described("GET", ONE, 200, api.get(path + "stable"))
                        .json()
                        .path("version")
                        .asText())
                .isEqualTo("1.10.0");
        assertThat(described("GET", ONE + "/code", 200, api.get(path + "1.0.0/code"))
                        .json()
                        .path("code")
                        .asText())
                .isEqualTo(CODE);

        List<String> ids = executions(name);
        assertThat(ids).hasSize(3).contains(exact.path("id").asText());
        assertThat(executions(name + "@1.0.0")).containsExactly(exact.path("id").asText());
    }

    private List<String> executions(String capability) {
        return described("GET", Api.EXECUTIONS, 200, api.get(Api.EXECUTIONS + "?capability=" + capability))
                .json()
                .path("items")
                .findValuesAsText("id");
    }

    @Test
    void whatIsNotAsAgreedIsRefused() {
        publish(fees("1.0.0", CODE), 201);
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
        publish(fees("1.0.1", "return 'three'"), 201);
        JsonNode mismatch = run("\"args\": {\"price\": 1}", 200);
        assertThat(mismatch.path("state").asText()).isEqualTo("FAILED");
        assertThat(mismatch.at("/error/code").asText()).isEqualTo("output-mismatch");
    }

    @Test
    void whatDoesNotPassItsTestsIsNotPublished() {
        String tests =
                "test('adds', async () => { mock('demo.add', 3); assert.is(await main({ price: 2 }), WANTED) });";
        JsonNode refused = publish(fees("1.0.0", CODE).put("tests", tests.replace("WANTED", "4")), 422);
        assertThat(refused.path("type").asText()).endsWith(":tests-failed");
        assertThat(refused.at("/report/summary/failed").asInt()).isEqualTo(1);
        assertThat(api.get(ALL + "/" + name).status()).isEqualTo(404);
        assertThat(publish(fees("1.0.0", CODE).put("tests", "test('a', =>"), 422)
                        .path("member")
                        .asText())
                .isEqualTo("tests");
        publish(fees("1.0.0", "return +"), 422);

        JsonNode published = publish(fees("1.0.0", CODE).put("tests", tests.replace("WANTED", "3")), 201);
        assertThat(api.execution(published.path("testRun").asText())
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void aDeprecatedVersionIsFoundByItsNumberAlone() {
        publish(fees("1.0.0", CODE), 201);
        publish(fees("1.1.0", CODE), 201);
        String path = ALL + "/" + name + "/versions/";
        JsonNode old = described(
                        "POST", ONE + "/deprecate", 200, api.post(path + "1.1.0/deprecate", "{\"reason\": \"slow\"}"))
                .json();
        assertThat(old.at("/deprecated/reason").asText()).isEqualTo("slow");
        assertThat(api.get(path + "stable").json().path("version").asText()).isEqualTo("1.0.0");
        assertThat(run("\"version\": \"1.1.0\", \"args\": {\"price\": 2}", 200)
                        .path("result")
                        .asInt())
                .isEqualTo(3);
        described("POST", ONE + "/deprecate", 404, api.post(path + "3.0.0/deprecate", "{}"));
    }

    @Test
    void namesAreListedPageByPage() {
        for (String each : List.of("a", "b", "c")) {
            publish(fees("1.0.0", CODE).put("name", name + "." + each), 201);
        }
        JsonNode page = described(
                        "GET", ALL, 200, api.get(ALL + "?limit=2&q=" + name.toUpperCase(java.util.Locale.ROOT)))
                .json();
        assertThat(page.path("items").findValuesAsText("name")).containsExactly(name + ".a", name + ".b");
        JsonNode rest = described(
                        "GET",
                        ALL,
                        200,
                        api.get(ALL + "?q=" + name + "&cursor="
                                + page.path("next").asText()))
                .json();
        assertThat(rest.path("items").findValuesAsText("name")).containsExactly(name + ".c");
        described("GET", ALL, 400, api.get(ALL + "?cursor=x"));
        assertThat(api.get(ALL + "/%C3%A9").status()).isEqualTo(404);
    }

    @Test
    void whatCannotBePublishedSaysWhy() {
        for (ObjectNode bad : List.of(
                fees("1.0", CODE),
                fees("1.0.0+build", CODE),
                fees("1.0.0", " "),
                fees("1.0.0", CODE).put("name", "Fees"),
                fees("1.0.0", CODE).put("name", "a..b"),
                fees("1.0.0", CODE).put("more", 1),
                fees("1.0.0", CODE).set("inputSchema", Json.read("7")),
                fees("1.0.0", CODE).set("inputSchema", Json.read("{\"type\": \"nothing\"}")),
                fees("1.0.0", CODE).set("outputSchema", Json.read("{\"$ref\": \"http://127.0.0.1:9/x\"}")),
                fees("1.0.0", CODE).set("env", Json.read("[\"A B\"]")))) {
            assertThat(publish(bad, 400).path("member").isTextual() || bad.has("more"))
                    .isTrue();
        }
    }
}
