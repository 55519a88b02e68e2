package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestJson;

/** Results that are served from the cache. */
@ExtendWith(ServerExtension.class)
class ResultCacheIT {
    private static final String CACHE_FOR_ONE_HOUR = "{\"maxAgeMillis\": 3600000}";
    private static final String READ_ONLY_SCRIPT =
            "console.log('read'); const [a] = await Promise.all([demo.kv_get({ key: args.key }), demo.add({ a: 1, b: "
                    + "2 })]);"
                    + " return [a, Math.random()];";

    private final RestClient api;
    private final OpenApiResponseValidator description;
    /** Unique key, because test classes share a server. */
    private final String key = "cached-" + UUID.randomUUID();

    ResultCacheIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private ObjectNode cachedSubmission(String code) {
        ObjectNode body = TestJson.object().put("code", code);
        body.set("args", TestJson.object().put("key", key));
        // Grants only the demo tools, because other tests may add backends in the meantime.
        body.putArray("grants").add("demo.*");
        body.set("cache", TestJson.read(CACHE_FOR_ONE_HOUR));
        return body;
    }

    private JsonNode run(ObjectNode body, int status, String... headers) {
        String[] all = new String[headers.length + 2];
        all[0] = "Prefer";
        all[1] = "wait=30";
        System.arraycopy(headers, 0, all, 2, headers.length);
        RestResponse answer = api.send(api.submissionRequest(TestJson.write(body), all));
        answer.expectStatus(status);
        assertThat(description.validate("POST", RestClient.EXECUTIONS, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private JsonNode runToCompletion(ObjectNode body) {
        JsonNode ended = run(body, 200);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        return ended;
    }

    private void assertCachedFrom(JsonNode first, ObjectNode body) {
        JsonNode answered = runToCompletion(body);
        assertThat(answered.path("cachedFrom")).isEqualTo(first.path("id"));
        assertThat(answered.path("id")).isNotEqualTo(first.path("id"));
        assertThat(answered.path("result")).isEqualTo(first.path("result"));
    }

    private void assertNotCached(ObjectNode body) {
        assertThat(runToCompletion(body).has("cachedFrom")).isFalse();
    }

    @Test
    void sameSubmissionGetsTheCachedResult() {
        JsonNode first = runToCompletion(cachedSubmission(READ_ONLY_SCRIPT));
        assertThat(first.has("cachedFrom")).isFalse();
        assertCachedFrom(first, cachedSubmission(READ_ONLY_SCRIPT));
        assertCachedFrom(first, cachedSubmission(READ_ONLY_SCRIPT + "\r\n"));

        JsonNode answered = runToCompletion(cachedSubmission(READ_ONLY_SCRIPT).put("intent", "again"));
        assertThat(answered.path("output").asText()).isEqualTo("read\n");
        assertThat(answered.path("intent").asText()).isEqualTo("again");
        String self = RestClient.EXECUTIONS + "/" + answered.path("id").asText();
        RestResponse trace = api.get(self + "/trace").expectStatus(200);
        assertThat(description.validate("GET", RestClient.EXECUTIONS + "/{id}/trace", trace))
                .isEmpty();
        assertThat(trace.json().path("events").findValuesAsText("type")).containsExactly("cached", "state");
        assertThat(trace.json().path("events").path(0).path("from")).isEqualTo(first.path("id"));
        assertThat(api.get(self + "/events").expectStatus(200).text()).contains("event: result");
        assertThat(api.cancel(answered.path("id").asText()).problemType()).isEqualTo("already-terminal");

        JsonNode plain =
                runToCompletion((ObjectNode) cachedSubmission(READ_ONLY_SCRIPT).without("cache"));
        assertThat(plain.has("cachedFrom")).isFalse();
        assertThat(plain.path("result")).isNotEqualTo(first.path("result"));
        assertCachedFrom(first, cachedSubmission(READ_ONLY_SCRIPT));
    }

    @Test
    void differentSubmissionIsExecuted() {
        runToCompletion(cachedSubmission(READ_ONLY_SCRIPT));
        assertNotCached(cachedSubmission(READ_ONLY_SCRIPT + " // other"));
        ObjectNode args = cachedSubmission(READ_ONLY_SCRIPT);
        args.set("args", TestJson.object().put("key", key + "-b"));
        assertNotCached(args);
        ObjectNode context = cachedSubmission(READ_ONLY_SCRIPT);
        context.set("context", TestJson.object().put("a", 1));
        assertNotCached(context);
        ObjectNode grants = cachedSubmission(READ_ONLY_SCRIPT);
        grants.putArray("grants").add("demo.kv_get").add("demo.add");
        assertNotCached(grants);
        ObjectNode none = cachedSubmission(READ_ONLY_SCRIPT);
        none.putArray("grants");
        assertThat(run(none, 200).path("state").asText()).isEqualTo("FAILED");
        ObjectNode fresh = cachedSubmission(READ_ONLY_SCRIPT);
        fresh.set("cache", TestJson.read("{\"maxAgeMillis\": 1}"));
        assertNotCached(fresh);
    }

    @Test
    void executionWithEffectsOrErrorsIsNotCached() {
        for (String code : new String[] {
            "await demo.kv_put({ key: args.key, value: 1 }); return 1",
            "await demo.counter_increment({ name: args.key }); return 1",
            "try { await demo.fail({ message: 'a' }) } catch (e) { return e.message }",
            "await artifacts.write('a', 'b'); return 1"
        }) {
            runToCompletion(cachedSubmission(code));
            assertNotCached(cachedSubmission(code));
        }
        ObjectNode failing = cachedSubmission("throw new Error('no')");
        assertThat(run(failing, 200).path("state").asText()).isEqualTo("FAILED");
        assertThat(run(failing, 200).has("cachedFrom")).isFalse();
    }

    @Test
    void sameIdempotencyKeyGivesTheSameExecution() {
        JsonNode first = runToCompletion(cachedSubmission(READ_ONLY_SCRIPT));
        JsonNode one = run(cachedSubmission(READ_ONLY_SCRIPT), 200, "Idempotency-Key", key);
        assertThat(one.path("cachedFrom")).isEqualTo(first.path("id"));
        assertThat(run(cachedSubmission(READ_ONLY_SCRIPT), 200, "Idempotency-Key", key)
                        .path("id"))
                .isEqualTo(one.path("id"));
    }

    @Test
    void invalidCacheOptionIsRefused() {
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
            RestResponse answer = api.send(api.submissionRequest("{\"code\": \"return 1\", " + member + "}"));
            assertThat(answer.expectStatus(400).problemType()).as(member).isEqualTo("validation");
        }
        JsonNode batch = api.post(
                        "/api/v1/batches", "{\"items\": [{\"code\": \"return 1\", \"cache\": {\"maxAgeMillis\": 1}}]}")
                .expectStatus(202)
                .json();
        assertThat(batch.path("items").path(0).path("problem").path("member").asText())
                .isEqualTo("cache");
    }
}
