package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;

/** One key sends so many requests in a second and no more, and others notice nothing. */
@Tag("slow")
@ExtendWith(Servers.class)
class RatesIT {
    private static final String QUEUE = "/api/v1/queue";
    private static final int RATE = 10;

    @Test
    void whoSendsTooOftenIsToldToWaitAndOthersAreNot() {
        try (SallyportServer server = ServerSetup.fresh("rates")
                .with("sallyport.limits.requests", Integer.toString(RATE))
                .launch()) {
            server.awaitReady();
            Api api = server.api();
            Api other = api.as(api.post("/api/v1/api-keys", "{\"name\": \"other\", \"roles\": [\"operator\"]}")
                    .expect(201)
                    .json()
                    .path("key")
                    .asText());
            Description description = Description.of(other);

            // At one time: a machine that takes a tenth of a second for each would send no more than it may.
            List<CompletableFuture<Answer>> sent = IntStream.range(0, 100)
                    .mapToObj(any -> api.sendAsync(api.request(QUEUE)))
                    .toList();
            List<Answer> answers = sent.stream().map(CompletableFuture::join).toList();
            List<Answer> refused =
                    answers.stream().filter(answer -> answer.status() == 429).toList();
            assertThat(answers.size() - refused.size()).isBetween(RATE, 100 - RATE);
            assertThat(refused).allSatisfy(answer -> {
                assertThat(answer.problem()).isEqualTo("rate-limited");
                assertThat(answer.header("Retry-After")).contains("1");
                assertThat(answer.json().path("detail").asText()).contains("sallyport.limits.requests");
                assertThat(description.faults("GET", QUEUE, answer)).isEmpty();
            });
            other.get(QUEUE).expect(200);
            Await.until(
                    "the key may send again",
                    Duration.ofSeconds(60),
                    () -> api.get(QUEUE).status() == 200);
        }
    }
}
