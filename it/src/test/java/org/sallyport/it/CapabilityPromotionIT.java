package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Capabilities that are published from completed executions. */
@ExtendWith(ServerExtension.class)
class CapabilityPromotionIT {
    private static final String PROMOTE_PATH = RestClient.EXECUTIONS + "/{id}/capability";
    private static final String SCRIPT = """
            // Adds two prices, and says what else happened.
            const [one, two] = await Promise.all([demo.add({ a: args.price, b: 1 }), demo.add({ a: args.price, b: 2 \
            })]);
            const failed = await demo.fail({ message: 'no "luck"' }).catch((e) => [e.code, e.message, e.tool]);
            await artifacts.write('sum', one + two);
            return { sum: one + two, failed, odd: { '__proto__': 1, text: '\\u2028"' } };
            """;

    private final RestClient api;
    private final String name = "made.a" + UUID.randomUUID().toString().substring(0, 8);

    CapabilityPromotionIT(RestClient api) {
        this.api = api;
    }

    private RestResponse promote(String id, String members, int status) {
        RestResponse answer = api.post(
                RestClient.EXECUTIONS + "/" + id + "/capability", "{\"name\": \"" + name + "\"" + members + "}");
        answer.expectStatus(status);
        assertThat(OpenApiResponseValidator.of(api).validate("POST", PROMOTE_PATH, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private String runToCompletion(String script) {
        JsonNode ended = api.run(SubmissionBody.javascript(script).args("{\"price\": 2}"));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        return ended.path("id").asText();
    }

    @Test
    void completedExecutionBecomesACapabilityWithARecordedTest() {
        String id = runToCompletion(SCRIPT);
        JsonNode promoted = promote(id, ", \"version\": \"1.0.0\"", 201).json();
        assertThat(promoted.path("tested").asBoolean()).as(promoted.toString()).isTrue();
        assertThat(promoted.path("tools")).isEqualTo(TestJson.read("[\"demo.add\", \"demo.fail\"]"));
        assertThat(promoted.path("description").asText()).isEqualTo("Adds two prices, and says what else happened.");
        JsonNode code = api.get("/api/v1/capabilities/" + name + "/versions/1.0.0/code")
                .expectStatus(200)
                .json();
        assertThat(code.path("code").asText()).isEqualTo(SCRIPT);
        assertThat(code.path("tests").asText()).contains(id);
        assertThat(promote(id, ", \"version\": \"1.0.0\"", 200).json()).isEqualTo(promoted);

        JsonNode ran = api.send(api.submissionRequest(
                        "{\"capability\": \"" + name + "\", \"args\": {\"price\": 5}}", "Prefer", "wait=30"))
                .expectStatus(200)
                .json();
        assertThat(ran.at("/result/sum").asInt()).isEqualTo(13);

        ScriptWithTests changed = new ScriptWithTests(code);
        JsonNode report = api.post("/api/v1/tests", changed.testRequestReplacing("b: 2", "b: 3"))
                .json();
        assertThat(report.path("success").asBoolean()).isFalse();
        assertThat(report.at("/tests/0/error").toString()).contains("was not called with");
        JsonNode other = api.post("/api/v1/tests", changed.testRequestReplacing("sum: one", "sum: 1 + one"))
                .json();
        assertThat(other.path("success").asBoolean()).isFalse();
    }

    /** The published script and its tests, as a request that runs the tests. */
    private record ScriptWithTests(JsonNode code) {
        String testRequestReplacing(String part, String instead) {
            return TestJson.write(TestJson.object()
                    .put("code", code.path("code").asText().replace(part, instead))
                    .put("tests", code.path("tests").asText())
                    .set("args", TestJson.object().put("price", 2)));
        }
    }

    @Test
    void nondeterministicScriptIsNotPublishedWithARecordedTest() {
        String id = runToCompletion("return [Math.random(), await demo.add({ a: 1, b: 1 })];");
        RestResponse refused = promote(id, ", \"version\": \"1.0.0\"", 422);
        assertThat(refused.problemType()).isEqualTo("tests-failed");
        assertThat(api.get("/api/v1/capabilities/" + name).status()).isEqualTo(404);
        JsonNode promoted = promote(
                        id, ", \"version\": \"1.0.0\", \"recordedTest\": false, \"tools\": [\"demo.*\"]", 201)
                .json();
        assertThat(promoted.path("tested").asBoolean()).isFalse();
        assertThat(promoted.path("tools")).isEqualTo(TestJson.read("[\"demo.*\"]"));
    }

    @Test
    void toolThatDidNotExistIsNotNeeded() {
        String id = runToCompletion(
                "await tools.demo.adds({}).catch(() => 0); return (await demo.add({ a: 1, b: 1 })).sum");
        JsonNode promoted = promote(id, ", \"version\": \"1.0.0\", \"recordedTest\": false", 201)
                .json();
        assertThat(promoted.path("tools")).isEqualTo(TestJson.read("[\"demo.add\"]"));
    }

    @Test
    void failedExecutionsAndDryRunsCannotBePromoted() {
        JsonNode failed = api.run(SubmissionBody.javascript("throw new Error('no')"));
        RestResponse refused = promote(failed.path("id").asText(), ", \"version\": \"1.0.0\"", 409);
        assertThat(refused.problemType()).isEqualTo("not-promotable");
        assertThat(refused.json().path("state").asText()).isEqualTo("FAILED");
        JsonNode dry = api.run(SubmissionBody.javascript("return 1").with("dryRun", "true"));
        assertThat(promote(dry.path("id").asText(), ", \"version\": \"1.0.0\"", 409)
                        .problemType())
                .isEqualTo("not-promotable");
        promote(UUID.randomUUID().toString(), ", \"version\": \"1.0.0\"", 404);
        promote(runToCompletion("return 1"), "", 400);
        promote(runToCompletion("return 1"), ", \"version\": \"1.0.0\", \"code\": \"return 2\"", 400);
    }
}
