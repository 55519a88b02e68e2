package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Validation of a script before its submission, and the wait reason of an execution that waits. */
@ExtendWith(ServerExtension.class)
class ValidationAndWaitReasonIT {
    private static final String VALIDATE = "/api/v1/validate";
    private static final String WAIT_REASON = RestClient.EXECUTIONS + "/{id}/why";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RestClient api;
    private final OpenApiResponseValidator description;

    ValidationAndWaitReasonIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private JsonNode validate(SubmissionBody submission) {
        return assertDescribed("POST", VALIDATE, 200, api.post(VALIDATE, submission.json()));
    }

    @Test
    void scriptIsValidatedWithoutBeingRun() {
        List<String> before = findValidatedExecutions();
        JsonNode good = validate(SubmissionBody.typescript("""
                        import _ from 'lodash';
                        const n: number = await demo.add({ a: 1, b: 2 });
                        return [n, await tools.demo.ad(1), await demo.echo(n)];
                        """).grants("demo.add"));

        assertThat(good.path("valid").asBoolean()).isTrue();
        assertThat(good.path("tier").asText()).isEqualTo("sandbox");
        assertThat(good.path("tools").findValuesAsText("name")).containsExactly("demo.add", "demo.ad", "demo.echo");
        assertThat(good.path("tools").findValuesAsText("known")).containsExactly("true", "false", "true");
        assertThat(good.path("tools").findValuesAsText("granted")).containsExactly("true", "false", "false");
        assertThat(good.at("/tools/0/line").asInt()).isEqualTo(2);
        assertThat(good.at("/tools/1/suggestions").toString()).contains("demo.add");
        assertThat(good.path("modules").findValuesAsText("name")).containsExactly("lodash");

        assertThat(good.path("language").asText()).isEqualTo("typescript");

        JsonNode found =
                validate(SubmissionBody.javascript("const n: number = await demo.add({ a: 1, b: 2 });\nreturn n"));
        assertThat(found.path("language").asText()).isEqualTo("typescript");
        assertThat(found.path("tier").asText()).isEqualTo("simple");
        JsonNode mistaken =
                validate(SubmissionBody.javascript("const n: number = 1;").with("language", "\"javascript\""));
        assertThat(mistaken.path("valid").asBoolean()).isFalse();
        assertThat(mistaken.at("/problem/detail").asText()).contains("the script is TypeScript");
        assertThat(mistaken.at("/problem/column").asInt()).isEqualTo(8);

        JsonNode commented =
                validate(SubmissionBody.javascript("const usage = 'none' /* Usage:\n```js\ndemo.echo({})\n```\n*/\n"
                        + "return [await demo.add({ a: 1, b: 2 })];"));
        assertThat(commented.path("tools").findValuesAsText("name")).containsExactly("demo.add");

        JsonNode bad = validate(SubmissionBody.javascript("return 1;\nreturn +"));
        assertThat(bad.path("valid").asBoolean()).isFalse();
        assertThat(bad.at("/problem/type").asText()).endsWith("syntax-error");
        assertThat(bad.at("/problem/line").asInt()).isEqualTo(2);

        JsonNode single = validate(SubmissionBody.javascript("return demo.add({ a: 'one' })"));
        assertThat(single.path("tier").asText()).isEqualTo("simple");
        assertThat(single.at("/tools/0/fault").asText()).contains("arguments");
        assertThat(validate(SubmissionBody.javascript("return demo.add({ a: 1, b: 2 })"))
                        .at("/tools/0/fault")
                        .isMissingNode())
                .isTrue();
        assertDescribed("POST", VALIDATE, 400, api.post(VALIDATE, "{}"));
        assertDescribed("POST", VALIDATE, 415, api.send(api.request(VALIDATE).POST(BodyPublishers.ofString("x"))));
        assertThat(findValidatedExecutions()).isEqualTo(before);
    }

    /**
     * Ids of the executions whose scripts only this test uses. The filter is necessary because other tests share this
     * server.
     */
    private List<String> findValidatedExecutions() {
        return api.listExecutionIds(item -> Stream.of("demo.ad(1)", "return +", "a: 'one'")
                .anyMatch(item.path("codePreview").asText()::contains));
    }

    @Test
    void waitReasonOfAnUnfinishedExecutionIsReported() {
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{}, {}], \"maxParallel\": 1, \"defaults\": {\"code\": \"for (;;) await "
                                + "sleep(200)\"}}")
                .expectStatus(202)
                .json();
        String first = batch.at("/items/0/execution").asText();
        String second = batch.at("/items/1/execution").asText();
        api.awaitRunning(first);

        assertThat(getWaitReason(first).path("reason").asText()).isEqualTo("running");
        assertThat(getWaitReason(second).path("reason").asText()).isEqualTo("batch");
        assertThat(getWaitReason(second).path("batch")).isEqualTo(batch.path("id"));
        // The service updates the counts shortly after the change.
        JsonNode queue = Await.untilPresent(
                "the queue shows both",
                TIMEOUT,
                () -> Optional.of(assertDescribed("GET", "/api/v1/queue", 200, api.get("/api/v1/queue")))
                        .filter(shown -> shown.at("/tenant/counts/RUNNING").asInt() > 0
                                && shown.at("/tenant/counts/PENDING").asInt() > 0));
        assertThat(queue.at("/tenant/oldestPendingMillis").asLong()).isNotNegative();
        assertThat(queue.path("acceptedLastMinute").asInt()).isGreaterThanOrEqualTo(2);
        Await.until("the node shows what it runs", TIMEOUT, () -> {
            JsonNode nodes = assertDescribed("GET", "/api/v1/nodes", 200, api.get("/api/v1/nodes"));
            return nodes.at("/items/0/alive").asBoolean()
                    && nodes.at("/items/0/self").asBoolean()
                    && nodes.at("/items/0/running").asInt() > 0;
        });
        api.post("/api/v1/batches/" + batch.path("id").asText() + "/cancel", "").expectStatus(202);
        api.awaitEnd(first);
        JsonNode why = getWaitReason(second);
        assertThat(why.path("reason").asText()).isEqualTo("cancelled");
        assertThat(why.at("/cancellation/requestedBy")).isEqualTo(why.path("submittedBy"));
        assertDescribed("GET", WAIT_REASON, 404, api.get(RestClient.EXECUTIONS + "/1/why"));
    }

    @Test
    void delayOfTheNextAttemptAndItsCauseAreReported() {
        String first = api.submit(SubmissionBody.javascript("throw new Error('not yet')")
                .with("retry", "{\"attempts\": 3, \"delayMillis\": 3600000, \"errorCodes\": [\"script-error\"]}"));
        JsonNode failed = assertDescribed(
                "GET",
                RestClient.EXECUTIONS + "/{id}",
                200,
                api.get(RestClient.EXECUTIONS + "/"
                        + api.awaitEnd(first).path("id").asText()));
        String next = failed.at("/retry/next").asText();

        JsonNode why = getWaitReason(next);
        assertThat(why.path("reason").asText()).isEqualTo("retry");
        assertThat(why.path("until")).isEqualTo(api.getExecution(next).path("notBefore"));
        assertThat(why.at("/retry/attempt").asInt()).isEqualTo(2);
        assertThat(why.at("/retry/attempts").asInt()).isEqualTo(3);
        assertThat(why.at("/retry/previous").asText()).isEqualTo(first);
        assertThat(why.at("/retry/first").asText()).isEqualTo(first);
        assertThat(why.at("/error/code").asText()).isEqualTo("script-error");
        assertThat(why.at("/error/message").asText()).contains("not yet");
        JsonNode ended = getWaitReason(first);
        assertThat(ended.path("reason").asText()).isEqualTo("ended");
        assertThat(ended.at("/retry/next").asText()).isEqualTo(next);
        api.cancel(first).expectStatus(202);
        assertThat(getWaitReason(next).path("reason").asText()).isEqualTo("cancelled");
        JsonNode last =
                api.run(SubmissionBody.javascript("throw new Error('no')").with("retry", "{\"attempts\": 3}"));
        assertThat(getWaitReason(last.path("id").asText())
                        .at("/retry/notRetried")
                        .asText())
                .isEqualTo("error");
    }

    @Test
    void startTimeAndPassedDeadlineAreReported() {
        String deadline =
                Instant.now().plusSeconds(2).truncatedTo(ChronoUnit.MICROS).toString();
        String id = api.submit(SubmissionBody.javascript("await sleep('1h')").with("deadline", "\"" + deadline + "\""));
        String scheduled = api.submit(SubmissionBody.javascript("return 1")
                .with("delayMillis", "3600000")
                .with("deadline", "\"" + Instant.now().plusSeconds(7_200) + "\""));
        JsonNode why = getWaitReason(scheduled);
        assertThat(why.path("reason").asText()).isEqualTo("scheduled");
        assertThat(why.path("deadline")).isEqualTo(api.getExecution(scheduled).path("deadline"));
        api.cancel(scheduled);

        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("TIMED_OUT");

        assertThat(getWaitReason(id).path("reason").asText()).isEqualTo("deadline");
        assertThat(getWaitReason(id).path("deadline").asText()).isEqualTo(deadline);
    }

    private JsonNode getWaitReason(String id) {
        return assertDescribed("GET", WAIT_REASON, 200, api.get(RestClient.EXECUTIONS + "/" + id + "/why"));
    }
}
