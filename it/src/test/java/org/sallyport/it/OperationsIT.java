package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What people ask before they submit and while they wait. */
@ExtendWith(Servers.class)
class OperationsIT {
    private static final String VALIDATE = "/api/v1/validate";
    private static final String WHY = Api.EXECUTIONS + "/{id}/why";

    private static final Duration SOON = Duration.ofSeconds(60);

    private final Api api;
    private final Description description;

    OperationsIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    private JsonNode described(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private JsonNode validated(Submission submission) {
        return described("POST", VALIDATE, 200, api.post(VALIDATE, submission.json()));
    }

    @Test
    void aScriptIsJudgedWithoutBeingRun() {
        List<String> before = judged();
        JsonNode good = validated(Submission.typescript("""
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
        assertThat(good.at("/tools/1/near").toString()).contains("demo.add");
        assertThat(good.path("modules").findValuesAsText("name")).containsExactly("lodash");

        JsonNode bad = validated(Submission.javascript("return 1;\nreturn +"));
        assertThat(bad.path("valid").asBoolean()).isFalse();
        assertThat(bad.at("/problem/type").asText()).endsWith("syntax-error");
        assertThat(bad.at("/problem/line").asInt()).isEqualTo(2);

        JsonNode single = validated(Submission.javascript("return demo.add({ a: 'one' })"));
        assertThat(single.path("tier").asText()).isEqualTo("simple");
        assertThat(single.at("/tools/0/fault").asText()).contains("arguments");
        assertThat(validated(Submission.javascript("return demo.add({ a: 1, b: 2 })"))
                        .at("/tools/0/fault")
                        .isMissingNode())
                .isTrue();
        described("POST", VALIDATE, 400, api.post(VALIDATE, "{}"));
        described("POST", VALIDATE, 415, api.send(api.request(VALIDATE).POST(BodyPublishers.ofString("x"))));
        assertThat(judged()).isEqualTo(before);
    }

    /** Executions of scripts that are only here: others have begun on this server, and what they begin may come now. */
    private List<String> judged() {
        return api.ids(item -> Stream.of("demo.ad(1)", "return +", "a: 'one'")
                .anyMatch(item.path("codePreview").asText()::contains));
    }

    @Test
    void oneCanAskWhyAnExecutionHasNotEnded() {
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{}, {}], \"maxParallel\": 1, \"defaults\": {\"code\": \"for (;;) await sleep(200)\"}}")
                .expect(202)
                .json();
        String first = batch.at("/items/0/execution").asText();
        String second = batch.at("/items/1/execution").asText();
        api.awaitRunning(first);

        assertThat(why(first).path("reason").asText()).isEqualTo("running");
        assertThat(why(second).path("reason").asText()).isEqualTo("batch");
        assertThat(why(second).path("batch")).isEqualTo(batch.path("id"));
        // What is counted is counted a moment later.
        JsonNode queue = Await.value(
                "the queue shows both",
                SOON,
                () -> Optional.of(described("GET", "/api/v1/queue", 200, api.get("/api/v1/queue")))
                        .filter(shown -> shown.at("/tenant/counts/RUNNING").asInt() > 0
                                && shown.at("/tenant/counts/PENDING").asInt() > 0));
        assertThat(queue.at("/tenant/oldestPendingMillis").asLong()).isNotNegative();
        assertThat(queue.path("acceptedLastMinute").asInt()).isGreaterThanOrEqualTo(2);
        Await.until("the node shows what it runs", SOON, () -> {
            JsonNode nodes = described("GET", "/api/v1/nodes", 200, api.get("/api/v1/nodes"));
            return nodes.at("/items/0/alive").asBoolean()
                    && nodes.at("/items/0/answering").asBoolean()
                    && nodes.at("/items/0/running").asInt() > 0;
        });
        api.post("/api/v1/batches/" + batch.path("id").asText() + "/cancel", "").expect(202);
        api.awaitEnd(first);
        assertThat(why(second).path("reason").asText()).isEqualTo("ended");
        described("GET", WHY, 404, api.get(Api.EXECUTIONS + "/1/why"));
    }

    private JsonNode why(String id) {
        return described("GET", WHY, 200, api.get(Api.EXECUTIONS + "/" + id + "/why"));
    }
}
