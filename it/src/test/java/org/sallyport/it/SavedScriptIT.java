package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestJson;

/** Scripts of completed executions that are saved under a name. */
@ExtendWith(ServerExtension.class)
class SavedScriptIT {
    private static final String ALL = "/api/v1/scripts";
    private static final String ONE = ALL + "/{name}";

    private final RestClient api;
    private final OpenApiResponseValidator description;
    /** Unique name, because test classes share a server. */
    private final String name = "fees-" + UUID.randomUUID();

    SavedScriptIT(RestClient api) {
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

    private JsonNode run(String body, int status) {
        RestResponse answer = api.send(api.submissionRequest(body, "Prefer", "wait=30"));
        return assertDescribed("POST", RestClient.EXECUTIONS, status, answer).json();
    }

    /** A script that no other test submits. */
    private String code(String body) {
        return "// Adds % Fees of " + name + "\n" + body;
    }

    private JsonNode runAndSave(String code, String as, int status) {
        return run(
                TestJson.write(TestJson.object()
                        .put("code", code)
                        .put("cacheAs", as)
                        .set("args", TestJson.read("{\"price\": 2}"))),
                status);
    }

    private RestResponse delete(String path) {
        return api.send(api.request(path).DELETE());
    }

    private JsonNode getScript(String which) {
        return assertDescribed("GET", ONE, 200, api.get(ALL + "/" + which)).json();
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/saved-scripts.md"));
        Matcher block =
                Pattern.compile("```json (\\w+)\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        assertThat(run(block.group(2), 200).path("result").asInt()).isEqualTo(3);
        assertThat(block.find()).isTrue();
        JsonNode second = run(block.group(2), 200);
        assertThat(second.path("result").asInt()).isEqualTo(4);
        assertThat(second.path("cachedName").asText()).isEqualTo("example.add-fee");
        assertThat(second.path("cached").asText()).isEqualTo("example.add-fee");
        assertThat(getScript("example.add-fee").path("description").asText()).isEqualTo("Adds a fee to a price.");
    }

    @Test
    void savedScriptRunsByNameWithCurrentGrants() {
        String code = code("return await demo.add({ a: args.price, b: 1 });");
        JsonNode first = runAndSave(code, name, 200);
        assertThat(first.path("result").asInt()).isEqualTo(3);
        JsonNode kept = getScript(name);
        assertThat(kept.path("code").asText()).isEqualTo(code);
        assertThat(kept.path("execution")).isEqualTo(first.path("id"));
        assertThat(kept.path("description").asText()).isEqualTo("Adds % Fees of " + name);

        String call = "{\"cached\": \"" + name + "\", \"args\": {\"price\": 3}";
        assertThat(run(call + "}", 200).path("result").asInt()).isEqualTo(4);
        assertThat(run(call + ", \"integrity\": " + kept.path("hash") + "}", 200)
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
        assertThat(run(call + ", \"integrity\": \"sha256-00\"}", 422)
                        .path("type")
                        .asText())
                .endsWith(":integrity-mismatch");
        JsonNode without = run(call + ", \"grants\": []}", 200);
        assertThat(without.path("state").asText()).isEqualTo("FAILED");
        assertThat(without.path("grants")).isEmpty();
        assertThat(without.path("error").path("message").asText()).contains("demo");

        JsonNode found = assertDescribed("GET", ALL, 200, api.get(ALL + "?q=FEES%20of%20" + name))
                .json();
        assertThat(found.path("items").findValuesAsText("name")).containsExactly(name);
        assertThat(found.path("items").path(0).has("code")).isFalse();
        delete(ALL + "/" + name).expectStatus(204);
        assertDescribed("GET", ONE, 404, api.get(ALL + "/" + name));
        assertDescribed("DELETE", ONE, 404, delete(ALL + "/" + name));
        assertThat(run(call + "}", 404).path("type").asText()).endsWith(":not-found");
    }

    @Test
    void eachScriptHasOneNameAndEachNameOneScript() {
        String code = code("return 1");
        runAndSave(code, name, 200);
        assertThat(runAndSave(code + "\r\n", name, 200).path("state").asText()).isEqualTo("COMPLETED");
        JsonNode other = runAndSave(code("return 2"), name, 409);
        assertThat(other.path("type").asText()).endsWith(":script-exists");
        assertThat(other.path("name").asText()).isEqualTo(name);
        JsonNode renamed = runAndSave(code, name + "-b", 409);
        assertThat(renamed.path("name").asText()).isEqualTo(name);
        JsonNode repeated = runAndSave(code, "auto", 200);
        assertThat(repeated.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(repeated.path("cachedName").asText()).isEqualTo(name);
        JsonNode failed = runAndSave(code("throw 1"), name + "-c", 200);
        assertThat(failed.path("state").asText()).isEqualTo("FAILED");
        assertThat(failed.has("cachedName")).isFalse();
        JsonNode generated = runAndSave(code("return 3"), "auto", 200);
        assertThat(getScript(generated.path("cachedName").asText()).path("execution"))
                .isEqualTo(generated.path("id"));
        assertThat(generated.path("cachedName").asText()).startsWith("adds-fees-of-");
        JsonNode list = assertDescribed("GET", RestClient.EXECUTIONS, 200, api.get(RestClient.EXECUTIONS + "?limit=1"))
                .json();
        assertThat(list.path("items").path(0).path("cachedName")).isEqualTo(generated.path("cachedName"));
        assertDescribed("GET", ONE, 404, api.get(ALL + "/" + name + "-c"));
        JsonNode verdict = assertDescribed(
                        "POST",
                        "/api/v1/validate",
                        200,
                        api.post(
                                "/api/v1/validate",
                                TestJson.write(TestJson.object()
                                        .put("code", code("return 2"))
                                        .put("cacheAs", name))))
                .json();
        assertThat(verdict.path("valid").asBoolean()).isFalse();
        assertThat(verdict.path("problem").path("type").asText()).endsWith(":script-exists");
    }

    @Test
    void languageOfASavedScriptIsFound() {
        String typed = code("const n: number = 3;\nreturn n;");
        JsonNode first = runAndSave(typed, name + "-t", 200);
        assertThat(first.path("result").asInt()).describedAs(first.toString()).isEqualTo(3);
        assertThat(first.path("language").asText()).isEqualTo("typescript");
        assertThat(getScript(name + "-t").path("language").asText()).isEqualTo("typescript");
        assertThat(runAndSave(typed, name + "-t", 200).path("cachedName").asText())
                .isEqualTo(name + "-t");
    }

    @Test
    void invalidSavedScriptRequestIsRefused() {
        for (String body : new String[] {
            "{\"code\": \"return 1\", \"cacheAs\": \"A\"}",
            "{\"code\": \"return 1\", \"cacheAs\": \"a/b\"}",
            "{\"code\": \"return 1\", \"cacheAs\": \"\"}",
            "{\"code\": \"return 1\", \"cacheAs\": 1}",
            "{\"code\": \"return 1\", \"cacheAs\": \"a\", \"dryRun\": true}",
            "{\"cached\": \"a\", \"code\": \"return 1\"}",
            "{\"cached\": \"a\", \"capability\": \"a\"}",
            "{\"cached\": \"a\", \"cacheAs\": \"a\"}",
            "{\"cached\": 1}",
            "{\"capability\": \"a\", \"cacheAs\": \"a\"}"
        }) {
            assertThat(run(body, 400).path("type").asText()).as(body).endsWith(":validation");
        }
        assertThat(run("{\"cached\": \"../\\u0000'; drop table script\"}", 404)
                        .path("type")
                        .asText())
                .endsWith(":not-found");
    }

    @Test
    void batchItemsRunSavedScriptsByName() {
        runAndSave(code("return args.price * 2"), name, 200);
        String items = "{\"items\": [{\"args\": {\"price\": 1}}, {\"args\": {\"price\": 5}}, {\"cached\": \"no-" + name
                + "\"}, {\"cacheAs\": \"x\"}], \"defaults\": {\"cached\": \"" + name + "\"}}";
        JsonNode batch = assertDescribed("POST", "/api/v1/batches", 202, api.post("/api/v1/batches", items))
                .json();
        assertThat(batch.path("total").asInt()).isEqualTo(4);
        assertThat(batch.path("items").path(2).path("problem").path("type").asText())
                .endsWith(":not-found");
        assertThat(batch.path("items").path(3).path("problem").path("type").asText())
                .endsWith(":validation");
        JsonNode first =
                api.awaitEnd(batch.path("items").path(0).path("execution").asText());
        JsonNode second =
                api.awaitEnd(batch.path("items").path(1).path("execution").asText());
        assertThat(first.path("result").asInt()).isEqualTo(2);
        assertThat(second.path("result").asInt()).isEqualTo(10);
        assertThat(second.path("cached").asText()).isEqualTo(name);

        JsonNode keeping = api.post(
                        "/api/v1/batches",
                        TestJson.write(TestJson.object()
                                .set(
                                        "items",
                                        TestJson.read("[{\"cacheAs\": \"" + name + "-b\", \"code\": \"return '" + name
                                                + "'\"}]"))))
                .json();
        api.awaitEnd(keeping.path("items").path(0).path("execution").asText());
        assertThat(getScript(name + "-b").path("code").asText()).isEqualTo("return '" + name + "'");
    }

    @Test
    void savedScriptBecomesACapability() {
        runAndSave(code("return await demo.add({ a: args.price, b: 1 });"), name, 200);
        String capability = "kept.a" + name.substring(5, 13);
        JsonNode promoted = assertDescribed(
                        "POST",
                        ONE + "/capability",
                        201,
                        api.post(
                                ALL + "/" + name + "/capability",
                                "{\"name\": \"" + capability + "\", \"version\": \"1.0.0\"}"))
                .json();
        assertThat(promoted.path("tested").asBoolean()).isTrue();
        assertThat(promoted.path("tools")).isEqualTo(TestJson.read("[\"demo.add\"]"));
        assertDescribed("POST", ONE + "/capability", 404, api.post(ALL + "/no-" + name + "/capability", "{}"));
    }

    @Test
    void scriptsAreListedPageByPage() {
        for (String each : new String[] {"a", "b", "c"}) {
            runAndSave(code("return '" + each + "'"), name + "." + each, 200);
        }
        String list = ALL + "?limit=2&q=" + name;
        JsonNode page = assertDescribed("GET", ALL, 200, api.get(list)).json();
        assertThat(page.path("items").findValuesAsText("name")).containsExactly(name + ".a", name + ".b");
        JsonNode rest = assertDescribed(
                        "GET",
                        ALL,
                        200,
                        api.get(list + "&cursor=" + page.path("next").asText()))
                .json();
        assertThat(rest.path("items").findValuesAsText("name")).containsExactly(name + ".c");
        assertThat(rest.path("next").isNull()).isTrue();
        assertDescribed("GET", ALL, 400, api.get(ALL + "?cursor=%00"));
    }
}
