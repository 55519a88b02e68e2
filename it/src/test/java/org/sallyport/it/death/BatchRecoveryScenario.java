package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** Each item of an accepted batch is run, and no call of it is made twice. */
final class BatchRecoveryScenario implements RecoveryScenario {
    private static final String BATCHES = "/api/v1/batches";
    private static final int ITEMS = 60;

    private final RestClient api;
    private final int maxLiveExecutions;
    private final String counter = "\"" + UUID.randomUUID() + "\"";
    private List<String> batches = List.of();

    BatchRecoveryScenario(RestClient api, int places) {
        this.api = api;
        this.maxLiveExecutions = places;
    }

    @Override
    public void prepare() {
        batches = Stream.of("", ", \"maxParallel\": 2")
                .map(bound ->
                        api.post(BATCHES, batchBody(bound)).expectStatus(202).json())
                .map(batch -> BATCHES + "/" + batch.path("id").asText())
                .toList();
    }

    private String batchBody(String bound) {
        return "{\"items\": [" + IntStream.range(0, ITEMS).mapToObj(i -> "{}").collect(Collectors.joining(","))
                + "], \"defaults\": {\"code\": \"await demo.counter_increment({ name: context })\", \"context\": "
                + counter + "}" + bound + "}";
    }

    @Override
    public void assertRecovered() {
        for (String batch : batches) {
            Await.until(
                    batch + " has ended",
                    Duration.ofSeconds(240),
                    () -> api.get(batch)
                            .expectStatus(200)
                            .json()
                            .path("finished")
                            .asBoolean());
            JsonNode counts = api.get(batch).json().path("counts");
            int unknown = counts.path("FAILED").asInt();
            // A call that was pending when the server died may have happened, so the service does not make it again.
            assertThat(unknown).as(counts.toString()).isLessThanOrEqualTo(maxLiveExecutions);
            assertThat(counts.path("COMPLETED").asInt() + unknown)
                    .as(counts.toString())
                    .isEqualTo(ITEMS);
        }
        assertThat(api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                                .args(counter))
                        .path("result"))
                .doesNotHaveDuplicates();
    }
}
