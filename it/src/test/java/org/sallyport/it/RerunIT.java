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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What has ended is run again. Effects are counted by the demo backend's own ledger. */
@ExtendWith(Servers.class)
class RerunIT {
    private static final String ONE = Api.EXECUTIONS + "/{id}";
    private static final String THREE = """
            const seen = [];
            for (let i = 1; i <= 3; i++) {
              seen.push(await demo.counter_increment({ name: args, by: i }));
              console.log('did', i, Math.random());
            }
            return [seen, crypto.randomUUID()];
            """;

    private final Api api;
    private final String counter = UUID.randomUUID().toString();

    RerunIT(Api api) {
        this.api = api;
    }

    private JsonNode original(String code) {
        return api.run(Submission.javascript(code).args("\"" + counter + "\""));
    }

    private Answer rerun(JsonNode original, String body) {
        return api.send(api.request(Api.EXECUTIONS + "/" + id(original) + "/rerun")
                .headers("Content-Type", "application/json", "Prefer", "wait=30")
                .POST(Api.body(body)));
    }

    private JsonNode ended(JsonNode original, String body) {
        JsonNode again = rerun(original, body).expect(200).json();
        assertThat(again.path("rerunOf").asText()).isEqualTo(id(original));
        return again;
    }

    private static String id(JsonNode execution) {
        return execution.path("id").asText();
    }

    /** Ids of the calls that raised the counter. */
    private List<String> ledger() {
        JsonNode ledger = api.run(Submission.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + counter + "\""))
                .path("result");
        return StreamSupport.stream(ledger.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private List<Boolean> replayed(JsonNode execution) {
        return api.trace(id(execution)).stream()
                .filter(event -> event.path("type").asText().startsWith("tool_"))
                .map(event -> event.path("replayed").asBoolean())
                .toList();
    }

    private JsonNode diff(JsonNode one, JsonNode other) {
        Answer answer = api.get(Api.EXECUTIONS + "/" + id(one) + "/diff?with=" + id(other))
                .expect(200);
        assertThat(Description.of(api).faults("GET", ONE + "/diff", answer)).isEmpty();
        return answer.json();
    }

    @Test
    void aFreshRunDoesEverythingOnceMore() {
        JsonNode first = original(THREE);
        JsonNode again = ended(first, "{}");

        assertThat(again.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(ledger()).hasSize(6);
        assertThat(replayed(again)).hasSize(6).doesNotContain(true);
        assertThat(again.path("output")).isNotEqualTo(first.path("output"));
    }

    @Test
    void fromACallOnEffectsAreMadeAndThoseBeforeAreNot() {
        JsonNode first = original(THREE);
        JsonNode again = ended(first, "{\"mode\":\"from\",\"from\":3}");

        assertThat(ledger())
                .hasSize(4)
                .endsWith(id(again) + "/3")
                .filteredOn(call -> call.startsWith(id(again)))
                .hasSize(1);
        assertThat(replayed(again)).containsExactly(true, true, true, true, false, false);
        assertThat(again.path("result").at("/0/0"))
                .isEqualTo(first.path("result").at("/0/0"));
        assertThat(again.path("output")).isEqualTo(first.path("output"));
        assertThat(again.path("result").path(1)).isEqualTo(first.path("result").path(1));
        JsonNode diff = diff(first, again);
        assertThat(diff.path("same").asBoolean()).isFalse();
        assertThat(diff.path("calls")).hasSize(1);
        assertThat(diff.at("/calls/0/call").asInt()).isEqualTo(3);
        assertThat(diff.has("output")).isFalse();
    }

    @Test
    void offlineNothingIsTouchedAndAllIsAsItWas() {
        JsonNode first = original("await artifacts.write('a.txt', 'kept'); await events.emit('e', 1);" + THREE);
        JsonNode again = ended(first, "{\"mode\":\"offline\"}");

        assertThat(again.path("result")).isEqualTo(first.path("result"));
        assertThat(again.path("output")).isEqualTo(first.path("output"));
        assertThat(ledger()).hasSize(3);
        assertThat(replayed(again)).isNotEmpty().doesNotContain(false);
        assertThat(diff(first, again).path("same").asBoolean()).isTrue();
        assertThat(api.get(Api.EXECUTIONS + "/" + id(again) + "/artifacts?name=a.txt")
                        .expect(200)
                        .text())
                .isEqualTo("kept");
    }

    @Test
    void anEditedScriptGoesOnWithWhatItChanged() {
        JsonNode first = original(THREE);
        ObjectNode body = Json.object().put("mode", "from").put("from", 3);
        body.put("code", THREE.replace("by: i", "by: i === 3 ? 30 : i"));
        JsonNode again = ended(first, body.toString());

        assertThat(ledger()).hasSize(4);
        assertThat(again.at("/result/0/2").asInt()).isEqualTo(6 + 30);
        JsonNode offline =
                ended(first, body.put("mode", "offline").without("from").toString());
        assertThat(offline.path("state").asText()).isEqualTo("FAILED");
        assertThat(offline.at("/error/code").asText()).isEqualTo("not-recorded");
        assertThat(ledger()).hasSize(4);
    }

    @Test
    void aRequestThatComesTwiceIsOneRerun() {
        JsonNode first = original("return 1");
        JsonNode other = original("return 2");
        String key = UUID.randomUUID().toString();
        Answer[] answers = new Answer[3];
        for (int i = 0; i < 3; i++) {
            answers[i] = api.send(api.request(Api.EXECUTIONS + "/" + id(i < 2 ? first : other) + "/rerun")
                    .headers("Content-Type", "application/json", "Prefer", "wait=30", "Idempotency-Key", key)
                    .POST(Api.body("{}")));
        }

        assertThat(id(answers[1].expect(200).json()))
                .isEqualTo(id(answers[0].expect(200).json()));
        assertThat(answers[1].header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(answers[2].expect(422).problem()).isEqualTo("idempotency-conflict");
    }

    @Test
    void answersAreThoseDescribed() {
        Description description = Description.of(api);
        JsonNode first = original("await sleep(1); console.log(Date.now()); return demo.add({ a: 1, b: 2 });");
        Answer again = rerun(first, "{\"mode\":\"from\",\"from\":2,\"intent\":\"look\"}")
                .expect(200);
        Answer journal = api.get(Api.EXECUTIONS + "/" + id(again.json()) + "/journal");
        Answer page = api.get(Api.EXECUTIONS + "/" + id(first) + "/journal?limit=1");

        assertThat(description.faults("POST", ONE + "/rerun", again)).isEmpty();
        assertThat(description.faults("GET", ONE + "/journal", journal)).isEmpty();
        assertThat(description.faults(
                        "GET", ONE + "/trace", api.get(Api.EXECUTIONS + "/" + id(again.json()) + "/trace")))
                .isEmpty();
        assertThat(journal.json().path("events").findValuesAsText("type"))
                .contains("state", "heard", "tool_start", "tool_end");
        assertThat(page.json().path("next").asLong()).isEqualTo(1);
        String running = api.submit(Submission.javascript("await sleep('1h')"));
        for (Answer refused : List.of(
                api.post(Api.EXECUTIONS + "/" + running + "/rerun", "{}"),
                api.post(Api.EXECUTIONS + "/1/rerun", "{}"),
                rerun(first, "{\"mode\":\"back\"}"),
                rerun(first, "{\"mode\":\"from\"}"),
                rerun(first, "{\"from\":2}"),
                rerun(first, "{\"grants\":[\"*\"]}"),
                rerun(first, "{\"code\":\"return +\"}"))) {
            assertThat(description.faults("POST", ONE + "/rerun", refused)).isEmpty();
            assertThat(refused.status()).isIn(400, 404, 409, 422);
        }
        assertThat(api.post(Api.EXECUTIONS + "/" + running + "/rerun", "{}").problem())
                .isEqualTo("not-terminal");
        api.cancel(running);
        assertThat(api.get(Api.EXECUTIONS + "/" + id(first) + "/diff").status()).isEqualTo(400);
        assertThat(api.get(Api.EXECUTIONS + "/" + id(first) + "/diff?with=1").status())
                .isEqualTo(404);
    }

    @Test
    void theExampleOfTheGuideDoesWhatItSays() throws Exception {
        String guide = Files.readString(Checkout.home().resolve("docs/rerun.md"));
        JsonNode first =
                api.run(Submission.javascript(example(guide, "original", 1)).args("{\"name\":\"" + counter + "\"}"));

        assertThat(first.path("state").asText()).isEqualTo("FAILED");
        assertThat(guide).contains("// fails " + first.at("/error/message").asText());
        ObjectNode body = Json.object().put("mode", "from").put("from", 3);
        JsonNode again =
                ended(first, body.put("code", example(guide, "edited", 1)).toString());
        assertThat(guide).contains("// → " + again.path("result"));
        assertThat(ledger()).hasSize(1);
    }

    private static String example(String guide, String name, int group) {
        Matcher block =
                Pattern.compile("```js " + name + "\n(.*?)```", Pattern.DOTALL).matcher(guide);
        assertThat(block.find()).isTrue();
        return block.group(group);
    }
}
