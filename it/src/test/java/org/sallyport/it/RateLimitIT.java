package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;

/** The limit on requests per second of one API key, which does not affect other keys. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class RateLimitIT {
    private static final String QUEUE_PATH = "/api/v1/queue";
    private static final int REQUESTS_PER_SECOND = 10;

    @Test
    void keyOverItsRateLimitIsRefusedAndOtherKeysAreNot() {
        try (SallyportServer server = ServerSetup.create("rates")
                .with("sallyport.limits.requests-per-second", Integer.toString(REQUESTS_PER_SECOND))
                .with("sallyport.events.max-per-second", "1")
                .launch()) {
            server.awaitReady();
            RestClient api = server.api();
            RestClient other = api.withKey(
                    api.post("/api/v1/api-keys", "{\"name\": \"other\", \"roles\": [\"operator\", \"submitter\"]}")
                            .expectStatus(201)
                            .json()
                            .path("key")
                            .asText());
            OpenApiResponseValidator description = OpenApiResponseValidator.of(other);

            // Sends them concurrently: on a machine that takes a tenth of a second for each request, sequential
            // requests would not exceed the limit.
            List<CompletableFuture<RestResponse>> sent = IntStream.range(0, 100)
                    .mapToObj(any -> api.sendAsync(api.request(QUEUE_PATH)))
                    .toList();
            List<RestResponse> answers =
                    sent.stream().map(CompletableFuture::join).toList();
            List<RestResponse> refused =
                    answers.stream().filter(answer -> answer.status() == 429).toList();
            assertThat(answers.size() - refused.size()).isBetween(REQUESTS_PER_SECOND, 100 - REQUESTS_PER_SECOND);
            assertThat(refused).allSatisfy(answer -> {
                assertThat(answer.problemType()).isEqualTo("rate-limited");
                assertThat(answer.header("Retry-After")).contains("1");
                assertThat(answer.json().path("detail").asText()).contains("sallyport.limits.requests-per-second");
                assertThat(description.validate("GET", QUEUE_PATH, answer)).isEmpty();
            });
            other.get(QUEUE_PATH).expectStatus(200);
            Await.until(
                    "the key may send again",
                    Duration.ofSeconds(60),
                    () -> api.get(QUEUE_PATH).status() == 200);
            assertEventsOfATenantAreLimited(other);
        }
    }

    /** Sends fewer requests than a key may, and more than the events that a tenant may emit. */
    private static void assertEventsOfATenantAreLimited(RestClient api) {
        List<CompletableFuture<RestResponse>> sent = IntStream.range(0, REQUESTS_PER_SECOND)
                .mapToObj(any -> api.sendAsync(api.request("/api/v1/events")
                        .header("Content-Type", "application/json")
                        .POST(RestClient.body("{\"name\": \"a\"}"))))
                .toList();
        List<RestResponse> answers = sent.stream().map(CompletableFuture::join).toList();
        assertThat(answers).extracting(RestResponse::status).contains(201, 429);
        assertThat(answers).filteredOn(answer -> answer.status() == 429).allSatisfy(answer -> {
            assertThat(answer.problemType()).isEqualTo("rate-limited");
            assertThat(answer.json().path("detail").asText()).contains("sallyport.events.max-per-second");
        });
    }
}
