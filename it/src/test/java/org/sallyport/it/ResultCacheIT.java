package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Servers;

/** Answers that are given again. */
@ExtendWith(Servers.class)
class ResultCacheIT {
    private static final String HOUR = "{\"maxAgeMillis\": 3600000}";
    private static final String READS =
            "console.log('read'); const [a] = await Promise.all([demo.kv_get({ key: args.key }), demo.add({ a: 1, b: 2 })]);"
                    + " return [a, Math.random()];";

    private final Api api;
    private final Description description;
    /** Tests share a server. */
    private final String key = "cached-" + UUID.randomUUID();

    ResultCacheIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    private ObjectNode asking(String code) {
        ObjectNode body = Json.object().put("code", code);
        body.set("args", Json.object().put("key", key));
        // Others may add backends meanwhile.
        body.putArray("grants").add("demo.*");
        body.set("cache", Json.read(HOUR));
        return body;
    }

    private JsonNode run(ObjectNode body, int status, String... headers) {
        String[] all = new String[headers.length + 2];
        all[0] = "Prefer";
        all[1] = "wait=30";
        System.arraycopy(headers, 0, all, 2, headers.length);
        Answer answer = api.send(api.submission(Json.write(body), all));
        answer.expect(status);
        assertThat(description.faults("POST", Api.EXECUTIONS, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private JsonNode completed(ObjectNode body) {
        JsonNode ended = run(body, 200);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        return ended;
    }

    private void isAnsweredBy(JsonNode first, ObjectNode body) {
        JsonNode answered = completed(body);
        assertThat(answered.path("cachedFrom")).isEqualTo(first.path("id"));
        assertThat(answered.path("id")).isNotEqualTo(first.path("id"));
        assertThat(answered.path("result")).isEqualTo(first.path("result"));
    }

    private void isRun(ObjectNode body) {
        assertThat(completed(body).has("cachedFrom")).isFalse();
    }

    @Test
    void whoAsksTheSameIsGivenTheSameAnswer() {
        JsonNode first = completed(asking(READS));
        assertThat(first.has("cachedFrom")).isFalse();
        isAnsweredBy(first, asking(READS));
        isAnsweredBy(first, asking(READS + "\r\n"));

        JsonNode answered = completed(asking(READS).put("intent", "again"));
        assertThat(answered.path("output").asText()).isEqualTo("read\n");
        assertThat(answered.path("intent").asText()).isEqualTo("again");
        String self = Api.EXECUTIONS + "/" + answered.path("id").asText();
        Answer trace = api.get(self + "/trace").expect(200);
        assertThat(description.faults("GET", Api.EXECUTIONS + "/{id}/trace", trace))
                .isEmpty();
        assertThat(trace.json().path("events").findValuesAsText("type")).containsExactly("cached", "state");
        assertThat(trace.json().path("events").path(0).path("from")).isEqualTo(first.path("id"));
        assertThat(api.get(self + "/events").expect(200).text()).contains("event: result");
        assertThat(api.cancel(answered.path("id").asText()).problem()).isEqualTo("already-terminal");

        JsonNode plain = completed((ObjectNode) asking(READS).without("cache"));
        assertThat(plain.has("cachedFrom")).isFalse();
        assertThat(plain.path("result")).isNotEqualTo(first.path("result"));
        isAnsweredBy(first, asking(READS));
    }

    @Test
    void whoAsksOtherwiseIsRun() {
        completed(asking(READS));
        isRun(asking(READS + " // other"));
        ObjectNode args = asking(READS);
        args.set("args", Json.object().put("key", key + "-b"));
        isRun(args);
        ObjectNode context = asking(READS);
        context.set("context", Json.object().put("a", 1));
        isRun(context);
        ObjectNode grants = asking(READS);
        grants.putArray("grants").add("demo.kv_get").add("demo.add");
        isRun(grants);
        ObjectNode none = asking(READS);
        none.putArray("grants");
        assertThat(run(none, 200).path("state").asText()).isEqualTo("FAILED");
        ObjectNode fresh = asking(READS);
        fresh.set("cache", Json.read("{\"maxAgeMillis\": 1}"));
        isRun(fresh);
    }

    @Test
    void whatDidMoreThanReadAnswersNobody() {
        for (String code : new String[] {
            "await demo.kv_put({ key: args.key, value: 1 }); return 1",
            "await demo.counter_increment({ name: args.key }); return 1",
            "try { await demo.fail({ message: 'a' }) } catch (e) { return e.message }",
            "await artifacts.write('a', 'b'); return 1"
        }) {
            completed(asking(code));
            isRun(asking(code));
        }
        ObjectNode failing = asking("throw new Error('no')");
        assertThat(run(failing, 200).path("state").asText()).isEqualTo("FAILED");
        assertThat(run(failing, 200).has("cachedFrom")).isFalse();
    }

    @Test
    void theSameRequestIsTheSameExecution() {
        JsonNode first = completed(asking(READS));
        JsonNode one = run(asking(READS), 200, "Idempotency-Key", key);
        assertThat(one.path("cachedFrom")).isEqualTo(first.path("id"));
        assertThat(run(asking(READS), 200, "Idempotency-Key", key).path("id")).isEqualTo(one.path("id"));
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        for (String member : new String[] {
            "\"cache\": true",
            "\"cache\": {}",
            "\"cache\": {\"maxAgeMillis\": 0}",
            "\"cache\": {\"maxAgeMillis\": 1e99}",
            "\"cache\": {\"maxAgeMillis\": 1, \"other\": 1}",
            "\"cache\": {\"maxAgeMillis\": 1}, \"dryRun\": true",
            "\"cache\": {\"maxAgeMillis\": 1}, \"durability\": \"none\"",
            "\"cache\": {\"maxAgeMillis\": 1}, \"debug\": \"profile\"",
            "\"cache\": {\"maxAgeMillis\": 1}, \"cacheAs\": \"a\""
        }) {
            Answer answer = api.send(api.submission("{\"code\": \"return 1\", " + member + "}"));
            assertThat(answer.expect(400).problem()).as(member).isEqualTo("validation");
        }
        JsonNode batch = api.post(
                        "/api/v1/batches", "{\"items\": [{\"code\": \"return 1\", \"cache\": {\"maxAgeMillis\": 1}}]}")
                .expect(202)
                .json();
        assertThat(batch.path("items").path(0).path("problem").path("member").asText())
                .isEqualTo("cache");
    }
}
