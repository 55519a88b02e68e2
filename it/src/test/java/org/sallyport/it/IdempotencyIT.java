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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Submissions that come more than once. */
@ExtendWith(Servers.class)
class IdempotencyIT {
    private static final String HEADER = "Idempotency-Key";

    private final Api api;
    private final String key = UUID.randomUUID().toString();

    IdempotencyIT(Api api) {
        this.api = api;
    }

    @Test
    void sameRequestAgainGivesTheFirstExecution() {
        String body = Submission.javascript("return 1;").json();
        Answer first = api.send(api.submission(body, HEADER, key)).expect(202);
        JsonNode ended = api.awaitEnd(first.json().path("id").asText());

        Answer again = api.send(api.submission(body, HEADER, key, "Prefer", "wait=5"));

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(again.json()).isEqualTo(ended);
        assertThat(first.header("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void otherBodyUnderTheSameKeyIsRefused() {
        String first = api.send(api.submission(
                        Submission.javascript("return 1;").label("key", key).json(), HEADER, key))
                .expect(202)
                .json()
                .path("id")
                .asText();

        Answer other = api.send(api.submission(
                Submission.javascript("return 2;").label("key", key).json(), HEADER, key));

        assertThat(other.status()).isEqualTo(422);
        assertThat(other.problem()).isEqualTo("idempotency-conflict");
        assertThat(api.ids(item -> item.at("/labels/key").asText().equals(key))).containsExactly(first);
    }

    @Test
    void thirtyTwoAtOnceAreOneExecution() {
        String counter = UUID.randomUUID().toString();
        String body = Submission.javascript("return demo.counter_increment({ name: args });")
                .args("\"" + counter + "\"")
                .json();

        List<Answer> answers =
                Stream.generate(() -> api.sendAsync(api.submission(body, HEADER, key))).limit(32).toList().stream()
                        .map(CompletableFuture::join)
                        .toList();

        // A request may come while the first is still being stored; it says so.
        assertThat(answers)
                .allSatisfy(answer -> assertThat(
                                answer.status() == 409 ? answer.problem() : String.valueOf(answer.status()))
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
        JsonNode count = api.run(Submission.javascript("return demo.counter_read({ name: args });")
                .args("\"" + counter + "\""));
        assertThat(count.path("result").asInt()).isEqualTo(1);
    }
}
