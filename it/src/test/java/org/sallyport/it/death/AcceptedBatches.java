package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Submission;

/** Each item of a batch that was taken is run, and no call of it is made twice. */
final class AcceptedBatches implements Promise {
    private static final String BATCHES = "/api/v1/batches";
    private static final int ITEMS = 60;

    private final Api api;
    private final int places;
    private final String counter = "\"" + UUID.randomUUID() + "\"";
    private List<String> batches = List.of();

    AcceptedBatches(Api api, int places) {
        this.api = api;
        this.places = places;
    }

    @Override
    public void make() {
        batches = Stream.of("", ", \"maxParallel\": 2")
                .map(bound -> api.post(BATCHES, batch(bound)).expect(202).json())
                .map(batch -> BATCHES + "/" + batch.path("id").asText())
                .toList();
    }

    private String batch(String bound) {
        return "{\"items\": [" + IntStream.range(0, ITEMS).mapToObj(i -> "{}").collect(Collectors.joining(","))
                + "], \"defaults\": {\"code\": \"await demo.counter_increment({ name: context })\", \"context\": "
                + counter + "}" + bound + "}";
    }

    @Override
    public void assertKept() {
        for (String batch : batches) {
            Await.until(
                    batch + " has ended",
                    Duration.ofSeconds(240),
                    () -> api.get(batch).expect(200).json().path("finished").asBoolean());
            JsonNode counts = api.get(batch).json().path("counts");
            int unknown = counts.path("FAILED").asInt();
            // A call that was under way when the server died may have happened: it is not made twice.
            assertThat(unknown).as(counts.toString()).isLessThanOrEqualTo(places);
            assertThat(counts.path("COMPLETED").asInt() + unknown)
                    .as(counts.toString())
                    .isEqualTo(ITEMS);
        }
        assertThat(api.run(Submission.javascript("return demo.counter_ledger({ name: args });")
                                .args(counter))
                        .path("result"))
                .doesNotHaveDuplicates();
    }
}
