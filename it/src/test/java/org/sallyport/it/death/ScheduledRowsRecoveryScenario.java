package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;

/** Each fire time of a schedule of rows submits one whole batch. */
final class ScheduledRowsRecoveryScenario implements RecoveryScenario {
    private static final String ALL = "/api/v1/schedules";
    private static final Duration TIMEOUT = Duration.ofSeconds(240);
    private static final Duration PERIOD = Duration.ofSeconds(4);
    private static final int ROWS = 20;

    private final RestClient api;
    private String schedule = "";

    ScheduledRowsRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        api.post(
                        "/api/v1/capabilities",
                        "{\"name\": \"recovery.row\", \"version\": \"1.0.0\", \"code\": \"return args.row\"}")
                .expectStatus(201);
        schedule = ALL + "/"
                + api.post(
                                ALL,
                                "{\"name\": \"rows\", \"everyMillis\": " + PERIOD.toMillis()
                                        + ", \"catchUp\": \"all\", \"overlap\": \"allow\","
                                        + " \"batch\": {\"capability\": \"recovery.row\", \"maxParallel\": 2}}")
                        .expectStatus(201)
                        .json()
                        .path("id")
                        .asText();
        String rows = IntStream.range(0, ROWS).mapToObj(row -> row + "\n").collect(Collectors.joining("", "row\n", ""));
        api.send(api.request(schedule + "/rows")
                        .header("Content-Type", "text/csv")
                        .PUT(BodyPublishers.ofString(rows)))
                .expectStatus(200);
        Await.until("it ran", TIMEOUT, () -> !batches().isEmpty());
    }

    private List<JsonNode> batches() {
        return api.listAll(schedule + "/batches?limit=100");
    }

    @Override
    public void assertRecovered() {
        int before = batches().size();
        Await.until("it goes on", TIMEOUT, () -> batches().size() >= before + 2);
        api.post(schedule + "/pause", "{\"reason\": \"enough\"}").expectStatus(200);
        List<JsonNode> batches = batches();
        List<Instant> times = batches.stream()
                .map(batch -> Instant.parse(batch.path("at").asText()))
                .toList();
        for (int i = 1; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i), times.get(i - 1))).isEqualTo(PERIOD);
        }
        for (JsonNode batch : batches) {
            String path = "/api/v1/batches/" + batch.path("batch").asText();
            Await.until(
                    path + " has ended",
                    TIMEOUT,
                    () -> api.get(path).json().path("finished").asBoolean());
            JsonNode ended = api.get(path).json();
            assertThat(ended.path("total").asInt()).isEqualTo(ROWS);
            assertThat(ended.path("refused").asInt()).isZero();
            assertThat(ended.at("/counts/COMPLETED").asInt())
                    .as(ended.toString())
                    .isEqualTo(ROWS);
        }
        assertThat(batches()).hasSameSizeAs(batches);
    }
}
