package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;

/** Each fire time of a schedule is handled exactly once. */
final class ScheduleRecoveryScenario implements RecoveryScenario {
    private static final String ALL = "/api/v1/schedules";
    private static final Duration TIMEOUT = Duration.ofSeconds(240);

    private final RestClient api;
    private String schedule = "";

    ScheduleRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        schedule = ALL + "/"
                + api.post(
                                ALL,
                                "{\"name\": \"each-second\", \"everyMillis\": 1000, \"catchUp\": \"all\", "
                                        + "\"overlap\": \"queue\","
                                        + " \"run\": {\"code\": \"return 1\"}}")
                        .expectStatus(201)
                        .json()
                        .path("id")
                        .asText();
        Await.until("it ran", TIMEOUT, () -> runs().size() >= 2);
    }

    private List<JsonNode> runs() {
        return api.listAll(schedule + "/executions?limit=200");
    }

    @Override
    public void assertRecovered() {
        int before = runs().size();
        Await.until("it goes on", TIMEOUT, () -> runs().size() >= before + 3);
        api.post(schedule + "/pause", "{\"reason\": \"The ledger is being moved.\"}")
                .expectStatus(200);
        List<JsonNode> runs = runs();
        List<Instant> times =
                runs.stream().map(run -> Instant.parse(run.path("at").asText())).toList();
        for (int i = 1; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i), times.get(i - 1))).isEqualTo(Duration.ofSeconds(1));
        }
        runs.forEach(run -> assertThat(api.awaitEnd(run.path("execution").asText())
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED"));
        assertThat(api.get(schedule)
                        .expectStatus(200)
                        .json()
                        .path("pauseReason")
                        .asText())
                .isEqualTo("The ledger is being moved.");
        assertThat(runs()).hasSameSizeAs(runs);
    }
}
