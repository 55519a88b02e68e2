package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Submissions that are sent more than once with the same idempotency key. */
@ExtendWith(ServerExtension.class)
class IdempotencyIT {
    private static final String HEADER = "Idempotency-Key";

    private final RestClient api;
    private final String key = UUID.randomUUID().toString();

    IdempotencyIT(RestClient api) {
        this.api = api;
    }

    @Test
    void repeatedRequestReturnsTheFirstExecution() {
        String body = SubmissionBody.javascript("return 1;").json();
        RestResponse first = api.send(api.submissionRequest(body, HEADER, key)).expectStatus(202);
        JsonNode ended = api.awaitEnd(first.json().path("id").asText());

        RestResponse repeated = api.send(api.submissionRequest(body, HEADER, key, "Prefer", "wait=5"));

        assertThat(repeated.status()).isEqualTo(200);
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(repeated.json()).isEqualTo(ended);
        assertThat(first.header("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void sameJsonInAnotherNotationReturnsTheFirstExecution() {
        String first = api.send(api.submissionRequest(
                        "{\"code\":\"return args\",\"args\":{\"a\":1,\"b\":\"\u00e9\"},"
                                + "\"labels\":{\"x\":\"1\",\"y\":\"2\"}}",
                        HEADER,
                        key))
                .expectStatus(202)
                .json()
                .path("id")
                .asText();

        RestResponse repeated = api.send(api.submissionRequest("""
                { "labels": { "y": "2", "x": "1" },
                  "args": { "b": "\\u00e9", "a": 1.0 }, "code": "return\\u0020args" }""", HEADER, key));

        assertThat(repeated.json().path("id").asText()).isEqualTo(first);
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
    }

    @Test
    void sameRowsInAnotherNotationReturnTheFirstBatch() {
        RestResponse first = api.send(api.request("/api/v1/batches")
                .headers("Content-Type", "application/x-ndjson", HEADER, key)
                .POST(RestClient.body("{\"code\":\"return 1\",\"priority\":5}\n{\"code\":\"return 2\"}\n")));

        RestResponse repeated = api.send(api.request("/api/v1/batches")
                .headers("Content-Type", "application/x-ndjson", HEADER, key)
                .POST(RestClient.body(
                        "{\"priority\": 5, \"code\": \"return 1\"}\r\n\r\n" + "{\"code\":\"return\\u00202\"}")));

        assertThat(repeated.json().path("id").asText())
                .isNotEmpty()
                .isEqualTo(first.json().path("id").asText());
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
    }

    /** The other notation has the same members in another order, and the same numbers in other digits. */
    private void assertRecognized(String path, String first, String otherNotation, String otherValue, String id) {
        JsonNode accepted = postWithKey(path, first).json();

        RestResponse repeated = postWithKey(path, otherNotation);
        assertThat(repeated.header("Idempotent-Replayed"))
                .as(repeated.toString())
                .isEqualTo("true");
        assertThat(repeated.json().path(id).asText())
                .isNotEmpty()
                .isEqualTo(accepted.path(id).asText());

        RestResponse refused = postWithKey(path, otherValue);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.problemType()).isEqualTo("idempotency-conflict");
    }

    private RestResponse postWithKey(String path, String body) {
        return api.send(api.request(path)
                .headers("Content-Type", "application/json", HEADER, key)
                .POST(RestClient.body(body)));
    }

    @Test
    void sameEventInAnotherNotationIsEmittedOnce() {
        assertRecognized(
                "/api/v1/events",
                "{\"name\":\"key-test\",\"payload\":{\"a\":1,\"b\":[true]}}",
                "{\"payload\": {\"b\": [true], \"a\": 1.0}, \"name\": \"key\\u002dtest\"}",
                "{\"name\":\"key-test\",\"payload\":{\"a\":2,\"b\":[true]}}",
                "seq");
    }

    @Test
    void sameRerunInAnotherNotationReturnsTheFirstRerun() {
        String original =
                api.run(SubmissionBody.javascript("return args")).path("id").asText();

        assertRecognized(
                RestClient.EXECUTIONS + "/" + original + "/rerun",
                "{\"args\":{\"a\":1,\"b\":2},\"labels\":{\"x\":\"1\",\"y\":\"2\"}}",
                "{\"labels\": {\"y\": \"2\", \"x\": \"1\"}, \"args\": {\"b\": 2, \"a\": 10e-1}}",
                "{\"args\":{\"a\":1,\"b\":3},\"labels\":{\"x\":\"1\",\"y\":\"2\"}}",
                "id");
    }

    @Test
    void sameRunOfASavedScriptInAnotherNotationReturnsTheFirstRun() {
        String name = "key-test-" + key;
        api.run(SubmissionBody.javascript("// " + key + "\nreturn args").with("cacheAs", "\"" + name + "\""));

        assertRecognized(
                RestClient.EXECUTIONS,
                "{\"cached\":\"" + name + "\",\"args\":{\"a\":1,\"b\":2}}",
                "{\"args\": {\"b\": 2.0, \"a\": 1}, \"cached\": \"" + name + "\"}",
                "{\"cached\":\"" + name + "\",\"args\":{\"a\":1,\"b\":3}}",
                "id");
    }

    @Test
    void otherBodyUnderTheSameKeyIsRefused() {
        String first = api.send(api.submissionRequest(
                        SubmissionBody.javascript("return 1;").label("key", key).json(), HEADER, key))
                .expectStatus(202)
                .json()
                .path("id")
                .asText();

        RestResponse other = api.send(api.submissionRequest(
                SubmissionBody.javascript("return 2;").label("key", key).json(), HEADER, key));

        assertThat(other.status()).isEqualTo(422);
        assertThat(other.problemType()).isEqualTo("idempotency-conflict");
        assertThat(api.listExecutionIds(item -> item.at("/labels/key").asText().equals(key)))
                .containsExactly(first);
    }

    @Test
    void thirtyTwoConcurrentRequestsGiveOneExecution() {
        String counter = UUID.randomUUID().toString();
        String body = SubmissionBody.javascript("return demo.counter_increment({ name: args });")
                .args("\"" + counter + "\"")
                .json();

        List<RestResponse> answers =
                Stream.generate(() -> api.sendAsync(api.submissionRequest(body, HEADER, key)))
                        .limit(32)
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();

        // The service answers 409 to a request that arrives while the first one is still being stored.
        assertThat(answers)
                .allSatisfy(answer -> assertThat(
                                answer.status() == 409 ? answer.problemType() : String.valueOf(answer.status()))
                        .isIn("202", "idempotency-conflict"));
        Set<String> ids = answers.stream()
                .filter(answer -> answer.status() == 202)
                .map(answer -> answer.json().path("id").asText())
                .collect(Collectors.toSet());
        assertThat(ids).hasSize(1);
        assertThat(answers.stream()
                        .filter(answer -> answer.status() == 202
                                && answer.header("Idempotent-Replayed").isEmpty()))
                .hasSize(1);
        api.awaitEnd(ids.iterator().next());
        JsonNode count = api.run(SubmissionBody.javascript("return demo.counter_read({ name: args });")
                .args("\"" + counter + "\""));
        assertThat(count.path("result").asInt()).isEqualTo(1);
    }
}
