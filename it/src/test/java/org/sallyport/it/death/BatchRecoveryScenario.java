package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;

/** Each item of an accepted batch is run, and no call of it is made twice. */
final class BatchRecoveryScenario implements RecoveryScenario {
    private static final String BATCHES = "/api/v1/batches";
    private static final int ITEMS = 40;

    private final RestClient api;
    private final int maxLiveExecutions;
    private final String counterName = UUID.randomUUID().toString();
    private final String counter = "\"" + counterName + "\"";
    private List<String> batches = List.of();

    BatchRecoveryScenario(RestClient api, int places) {
        this.api = api;
        this.maxLiveExecutions = places;
    }

    @Override
    public void prepare() {
        batches = Stream.of(
                        api.post(BATCHES, batchBody("")),
                        api.post(BATCHES, batchBody(", \"maxParallel\": 2")),
                        submitEqualRows(),
                        submitRows())
                .map(response -> response.expectStatus(202).json())
                .map(batch -> BATCHES + "/" + batch.path("id").asText())
                .toList();
    }

    private void publish(String name, String tool, String code) {
        assertThat(api.post("/api/v1/capabilities", """
                        {"name": "%s", "version": "1.0.0", "tools": ["%s"], "code": "%s"}
                        """.formatted(name, tool, code))
                        .status())
                .isIn(200, 201);
    }

    /** Each execution answers several rows. */
    private RestResponse submitEqualRows() {
        publish("recovery.read", "demo.slow", "return demo.slow({ millis: 200, value: args.row })");
        String rows = IntStream.range(0, ITEMS).mapToObj(row -> row / 4 + "\n").collect(Collectors.joining());
        return api.send(api.request(BATCHES + "?capability=recovery.read&maxParallel=2&coalesce=true")
                .header("Content-Type", "text/csv")
                .POST(BodyPublishers.ofString("row\n" + rows)));
    }

    private RestResponse submitRows() {
        publish("recovery.count", "demo.counter_increment", "await demo.counter_increment({ name: args.counter })");
        String rows = IntStream.range(0, ITEMS)
                .mapToObj(row -> row + "," + counterName + "\n")
                .collect(Collectors.joining("", "row,counter\n", ""));
        return api.send(api.request(BATCHES + "?capability=recovery.count&maxParallel=2")
                .header("Content-Type", "text/csv")
                .POST(BodyPublishers.ofString(rows)));
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
        assertThat(api.send(api.request(batches.get(batches.size() - 1) + "/results")
                                .header("Accept", "text/csv"))
                        .text()
                        .lines())
                .as("the rows with their results")
                .hasSize(ITEMS + 1)
                .element(ITEMS)
                .asString()
                .startsWith(ITEMS - 1 + "," + counterName + ",");
        assertThat(api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                                .args(counter))
                        .path("result"))
                .doesNotHaveDuplicates();
    }
}
