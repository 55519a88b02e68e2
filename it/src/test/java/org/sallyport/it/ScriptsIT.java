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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;

/** Scripts that went well and are kept under a name. */
@ExtendWith(Servers.class)
class ScriptsIT {
    private static final String ALL = "/api/v1/scripts";
    private static final String ONE = ALL + "/{name}";

    private final Api api;
    private final Description description;
    /** Tests share a server. */
    private final String name = "fees-" + UUID.randomUUID();

    ScriptsIT(Api api) {
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

    private JsonNode run(String body, int status) {
        Answer answer = api.send(api.submission(body, "Prefer", "wait=30"));
        return described("POST", Api.EXECUTIONS, status, answer).json();
    }

    /** A script that no other test has. */
    private String code(String body) {
        return "// Adds % Fees of " + name + "\n" + body;
    }

    private JsonNode keep(String code, String as, int status) {
        return run(
                Json.write(Json.object().put("code", code).put("cacheAs", as).set("args", Json.read("{\"price\": 2}"))),
                status);
    }

    private Answer delete(String path) {
        return api.send(api.request(path).DELETE());
    }

    private JsonNode script(String which) {
        return described("GET", ONE, 200, api.get(ALL + "/" + which)).json();
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(Checkout.home().resolve("docs/scripts-cache.md"));
        Matcher block =
                Pattern.compile("```json (\\w+)\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        assertThat(run(block.group(2), 200).path("result").asInt()).isEqualTo(3);
        assertThat(block.find()).isTrue();
        JsonNode again = run(block.group(2), 200);
        assertThat(again.path("result").asInt()).isEqualTo(4);
        assertThat(again.path("cached").asText()).isEqualTo("example.add-fee");
        assertThat(script("example.add-fee").path("description").asText()).isEqualTo("Adds a fee to a price.");
    }

    @Test
    void aScriptThatWentWellIsRunByItsNameWithTheRightsOfNow() {
        String code = code("return await demo.add({ a: args.price, b: 1 });");
        JsonNode first = keep(code, name, 200);
        assertThat(first.path("result").asInt()).isEqualTo(3);
        JsonNode kept = script(name);
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

        JsonNode found = described("GET", ALL, 200, api.get(ALL + "?q=FEES%20of%20" + name))
                .json();
        assertThat(found.path("items").findValuesAsText("name")).containsExactly(name);
        assertThat(found.path("items").path(0).has("code")).isFalse();
        delete(ALL + "/" + name).expect(204);
        described("GET", ONE, 404, api.get(ALL + "/" + name));
        described("DELETE", ONE, 404, delete(ALL + "/" + name));
        assertThat(run(call + "}", 404).path("type").asText()).endsWith(":not-found");
    }

    @Test
    void aScriptHasOneNameAndANameOneScript() {
        String code = code("return 1");
        keep(code, name, 200);
        assertThat(keep(code + "\r\n", name, 200).path("state").asText()).isEqualTo("COMPLETED");
        JsonNode other = keep(code("return 2"), name, 409);
        assertThat(other.path("type").asText()).endsWith(":script-exists");
        assertThat(other.path("name").asText()).isEqualTo(name);
        JsonNode renamed = keep(code, name + "-b", 409);
        assertThat(renamed.path("name").asText()).isEqualTo(name);
        assertThat(keep(code, "auto", 200).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(keep(code("throw 1"), name + "-c", 200).path("state").asText())
                .isEqualTo("FAILED");
        described("GET", ONE, 404, api.get(ALL + "/" + name + "-c"));
        JsonNode verdict = described(
                        "POST",
                        "/api/v1/validate",
                        200,
                        api.post(
                                "/api/v1/validate",
                                Json.write(Json.object()
                                        .put("code", code("return 2"))
                                        .put("cacheAs", name))))
                .json();
        assertThat(verdict.path("valid").asBoolean()).isFalse();
        assertThat(verdict.path("problem").path("type").asText()).endsWith(":script-exists");
    }

    @Test
    void whatCannotBeMeantIsRefused() {
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
    void theItemsOfABatchNameScripts() {
        keep(code("return args.price * 2"), name, 200);
        String items = "{\"items\": [{\"args\": {\"price\": 1}}, {\"args\": {\"price\": 5}}, {\"cached\": \"no-" + name
                + "\"}, {\"cacheAs\": \"x\"}], \"defaults\": {\"cached\": \"" + name + "\"}}";
        JsonNode batch = described("POST", "/api/v1/batches", 202, api.post("/api/v1/batches", items))
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
                        Json.write(Json.object()
                                .set(
                                        "items",
                                        Json.read("[{\"cacheAs\": \"" + name + "-b\", \"code\": \"return '" + name
                                                + "'\"}]"))))
                .json();
        api.awaitEnd(keeping.path("items").path(0).path("execution").asText());
        assertThat(script(name + "-b").path("code").asText()).isEqualTo("return '" + name + "'");
    }

    @Test
    void aKeptScriptBecomesACapability() {
        keep(code("return await demo.add({ a: args.price, b: 1 });"), name, 200);
        String capability = "kept.a" + name.substring(5, 13);
        JsonNode made = described(
                        "POST",
                        ONE + "/capability",
                        201,
                        api.post(
                                ALL + "/" + name + "/capability",
                                "{\"name\": \"" + capability + "\", \"version\": \"1.0.0\"}"))
                .json();
        assertThat(made.path("tested").asBoolean()).isTrue();
        assertThat(made.path("tools")).isEqualTo(Json.read("[\"demo.add\"]"));
        described("POST", ONE + "/capability", 404, api.post(ALL + "/no-" + name + "/capability", "{}"));
    }

    @Test
    void scriptsComePageByPage() {
        for (String each : new String[] {"a", "b", "c"}) {
            keep(code("return '" + each + "'"), name + "." + each, 200);
        }
        String list = ALL + "?limit=2&q=" + name;
        JsonNode page = described("GET", ALL, 200, api.get(list)).json();
        assertThat(page.path("items").findValuesAsText("name")).containsExactly(name + ".a", name + ".b");
        JsonNode rest = described(
                        "GET",
                        ALL,
                        200,
                        api.get(list + "&cursor=" + page.path("next").asText()))
                .json();
        assertThat(rest.path("items").findValuesAsText("name")).containsExactly(name + ".c");
        assertThat(rest.path("next").isNull()).isTrue();
        described("GET", ALL, 400, api.get(ALL + "?cursor=%00"));
    }
}
