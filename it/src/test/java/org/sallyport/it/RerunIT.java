package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Re-runs of executions that have ended. The ledger of the demo backend counts effects. */
@ExtendWith(ServerExtension.class)
class RerunIT {
    private static final String ONE = RestClient.EXECUTIONS + "/{id}";
    private static final String THREE_CALLS_SCRIPT = """
            const seen = [];
            for (let i = 1; i <= 3; i++) {
              seen.push(await demo.counter_increment({ name: args, by: i }));
              console.log('did', i, Math.random());
            }
            return [seen, crypto.randomUUID()];
            """;

    private final RestClient api;
    private final String counter = UUID.randomUUID().toString();

    RerunIT(RestClient api) {
        this.api = api;
    }

    private JsonNode runOriginal(String code) {
        return api.run(SubmissionBody.javascript(code).args("\"" + counter + "\""));
    }

    private RestResponse rerun(JsonNode original, String body) {
        return api.send(api.request(RestClient.EXECUTIONS + "/" + id(original) + "/rerun")
                .headers("Content-Type", "application/json", "Prefer", "wait=30")
                .POST(RestClient.body(body)));
    }

    private JsonNode rerunToEnd(JsonNode original, String body) {
        JsonNode rerun = rerun(original, body).expectStatus(200).json();
        assertThat(rerun.path("rerunOf").asText()).isEqualTo(id(original));
        return rerun;
    }

    private static String id(JsonNode execution) {
        return execution.path("id").asText();
    }

    /** Ids of the calls that raised the counter. */
    private List<String> ledger() {
        JsonNode ledger = api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + counter + "\""))
                .path("result");
        return StreamSupport.stream(ledger.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private List<Boolean> replayedFlags(JsonNode execution) {
        return api.getTrace(id(execution)).stream()
                .filter(event -> event.path("type").asText().startsWith("tool_"))
                .map(event -> event.path("replayed").asBoolean())
                .toList();
    }

    private JsonNode diff(JsonNode one, JsonNode other) {
        RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + id(one) + "/diff?with=" + id(other))
                .expectStatus(200);
        assertThat(OpenApiResponseValidator.of(api).validate("GET", ONE + "/diff", answer))
                .isEmpty();
        return answer.json();
    }

    @Test
    void freshRerunRepeatsAllEffects() {
        JsonNode first = runOriginal(THREE_CALLS_SCRIPT);
        JsonNode rerun = rerunToEnd(first, "{}");

        assertThat(rerun.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(ledger()).hasSize(6);
        assertThat(replayedFlags(rerun)).hasSize(6).doesNotContain(true);
        assertThat(rerun.path("output")).isNotEqualTo(first.path("output"));
    }

    @Test
    void rerunFromACallRepeatsOnlyEffectsFromThatCallOn() {
        JsonNode first = runOriginal(THREE_CALLS_SCRIPT);
        JsonNode rerun = rerunToEnd(first, "{\"mode\":\"from\",\"from\":3}");

        assertThat(ledger())
                .hasSize(4)
                .endsWith(id(rerun) + "/3")
                .filteredOn(call -> call.startsWith(id(rerun)))
                .hasSize(1);
        assertThat(replayedFlags(rerun)).containsExactly(true, true, true, true, false, false);
        assertThat(rerun.path("result").at("/0/0"))
                .isEqualTo(first.path("result").at("/0/0"));
        assertThat(rerun.path("output")).isEqualTo(first.path("output"));
        assertThat(rerun.path("result").path(1)).isEqualTo(first.path("result").path(1));
        JsonNode diff = diff(first, rerun);
        assertThat(diff.path("same").asBoolean()).isFalse();
        assertThat(diff.path("calls")).hasSize(1);
        assertThat(diff.at("/calls/0/call").asInt()).isEqualTo(3);
        assertThat(diff.has("output")).isFalse();
    }

    @Test
    void offlineRerunHasNoEffectsAndGivesTheSameResult() {
        JsonNode first =
                runOriginal("await artifacts.write('a.txt', 'kept'); await events.emit('e', 1);" + THREE_CALLS_SCRIPT);
        JsonNode rerun = rerunToEnd(first, "{\"mode\":\"offline\"}");

        assertThat(rerun.path("result")).isEqualTo(first.path("result"));
        assertThat(rerun.path("output")).isEqualTo(first.path("output"));
        assertThat(ledger()).hasSize(3);
        assertThat(replayedFlags(rerun)).isNotEmpty().doesNotContain(false);
        assertThat(diff(first, rerun).path("same").asBoolean()).isTrue();
        assertThat(api.get(RestClient.EXECUTIONS + "/" + id(rerun) + "/artifacts?name=a.txt")
                        .expectStatus(200)
                        .text())
                .isEqualTo("kept");
    }

    @Test
    void editedScriptIsRerunFromTheChangedCall() {
        JsonNode first = runOriginal(THREE_CALLS_SCRIPT);
        ObjectNode body = TestJson.object().put("mode", "from").put("from", 3);
        body.put("code", THREE_CALLS_SCRIPT.replace("by: i", "by: i === 3 ? 30 : i"));
        JsonNode rerun = rerunToEnd(first, body.toString());

        assertThat(ledger()).hasSize(4);
        assertThat(rerun.at("/result/0/2").asInt()).isEqualTo(6 + 30);
        JsonNode offline =
                rerunToEnd(first, body.put("mode", "offline").without("from").toString());
        assertThat(offline.path("state").asText()).isEqualTo("FAILED");
        assertThat(offline.at("/error/code").asText()).isEqualTo("not-recorded");
        assertThat(ledger()).hasSize(4);
    }

    @Test
    void repeatedRequestIsOneRerun() {
        JsonNode first = runOriginal("return 1");
        JsonNode other = runOriginal("return 2");
        String key = UUID.randomUUID().toString();
        RestResponse[] answers = new RestResponse[3];
        for (int i = 0; i < 3; i++) {
            answers[i] = api.send(api.request(RestClient.EXECUTIONS + "/" + id(i < 2 ? first : other) + "/rerun")
                    .headers("Content-Type", "application/json", "Prefer", "wait=30", "Idempotency-Key", key)
                    .POST(RestClient.body("{}")));
        }

        assertThat(id(answers[1].expectStatus(200).json()))
                .isEqualTo(id(answers[0].expectStatus(200).json()));
        assertThat(answers[1].header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(answers[2].expectStatus(422).problemType()).isEqualTo("idempotency-conflict");
    }

    @Test
    void responsesMatchTheApiDescription() {
        OpenApiResponseValidator description = OpenApiResponseValidator.of(api);
        JsonNode first = runOriginal("await sleep(1); console.log(Date.now()); return demo.add({ a: 1, b: 2 });");
        RestResponse rerun = rerun(first, "{\"mode\":\"from\",\"from\":2,\"intent\":\"look\"}")
                .expectStatus(200);
        RestResponse journal = api.get(RestClient.EXECUTIONS + "/" + id(rerun.json()) + "/journal");
        RestResponse page = api.get(RestClient.EXECUTIONS + "/" + id(first) + "/journal?limit=1");

        assertThat(description.validate("POST", ONE + "/rerun", rerun)).isEmpty();
        assertThat(description.validate("GET", ONE + "/journal", journal)).isEmpty();
        assertThat(description.validate(
                        "GET", ONE + "/trace", api.get(RestClient.EXECUTIONS + "/" + id(rerun.json()) + "/trace")))
                .isEmpty();
        assertThat(journal.json().path("events").findValuesAsText("type"))
                .contains("state", "heard", "tool_start", "tool_end");
        assertThat(page.json().path("next").asLong()).isEqualTo(1);
        String running = api.submit(SubmissionBody.javascript("await sleep('1h')"));
        for (RestResponse refused : List.of(
                api.post(RestClient.EXECUTIONS + "/" + running + "/rerun", "{}"),
                api.post(RestClient.EXECUTIONS + "/1/rerun", "{}"),
                rerun(first, "{\"mode\":\"back\"}"),
                rerun(first, "{\"mode\":\"from\"}"),
                rerun(first, "{\"from\":2}"),
                rerun(first, "{\"grants\":[\"*\"]}"),
                rerun(first, "{\"code\":\"return +\"}"))) {
            assertThat(description.validate("POST", ONE + "/rerun", refused)).isEmpty();
            assertThat(refused.status()).isIn(400, 404, 409, 422);
        }
        assertThat(api.post(RestClient.EXECUTIONS + "/" + running + "/rerun", "{}")
                        .problemType())
                .isEqualTo("not-terminal");
        api.cancel(running);
        assertThat(api.get(RestClient.EXECUTIONS + "/" + id(first) + "/diff").status())
                .isEqualTo(400);
        assertThat(api.get(RestClient.EXECUTIONS + "/" + id(first) + "/diff?with=1")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void exampleOfTheGuideGivesTheDocumentedResult() throws Exception {
        String guide = Files.readString(CheckoutPaths.root().resolve("docs/rerun.md"));
        JsonNode first = api.run(
                SubmissionBody.javascript(example(guide, "original", 1)).args("{\"name\":\"" + counter + "\"}"));

        assertThat(first.path("state").asText()).isEqualTo("FAILED");
        assertThat(guide).contains("// fails " + first.at("/error/message").asText());
        ObjectNode body = TestJson.object().put("mode", "from").put("from", 3);
        JsonNode rerun =
                rerunToEnd(first, body.put("code", example(guide, "edited", 1)).toString());
        assertThat(guide).contains("// → " + rerun.path("result"));
        assertThat(ledger()).hasSize(1);
    }

    private static String example(String guide, String name, int group) {
        Matcher block =
                Pattern.compile("```js " + name + "\n(.*?)```", Pattern.DOTALL).matcher(guide);
        assertThat(block.find()).isTrue();
        return block.group(group);
    }
}
