package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;
import org.sallyport.testsupport.TimingAssertions;

/**
 * An execution that waits for long is parked in the database: it survives the death of its node and resumes when its
 * wait condition is met.
 */
@Tag("slow")
@UseServer(ServerProfile.PARKING)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ParkingIT {
    private final RestClient api;

    ParkingIT(TestTenant tenant) {
        this.api = tenant.api();
    }

    private static JsonNode awaitWaiting(RestClient api, String id) {
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(60),
                () -> api.getExecution(id).path("state").asText().equals("WAITING"));
        return api.getExecution(id);
    }

    @Test
    void aParkedExecutionCanBeCancelled() {
        String id = api.submit(SubmissionBody.javascript("await sleep('3d'); return 1"));
        JsonNode waitingFor = awaitWaiting(api, id).path("waitingFor");
        assertThat(waitingFor.path("reason").asText()).isEqualTo("timer");
        Instant since = Instant.parse(waitingFor.path("since").asText());
        Instant until = Instant.parse(waitingFor.path("until").asText());
        assertThat(Duration.between(since, until)).isBetween(Duration.ofDays(2), Duration.ofDays(3));
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void parkedExecutionIsResumedByAnEventOfACaller() {
        String id = api.submit(SubmissionBody.javascript("return (await events.next('parked.paid')).data;"));
        assertThat(awaitWaiting(api, id).path("waitingFor").path("reason").asText())
                .isEqualTo("event");
        api.post("/api/v1/events", "{\"name\": \"parked.paid\", \"payload\": {\"order\": 7}}")
                .expectStatus(201);
        assertThat(api.awaitEnd(id).path("result")).hasToString("{\"order\":7}");
    }

    @Test
    void executionWaitingForASlowToolIsParkedAndResumed() {
        String id = api.submit(SubmissionBody.javascript(
                "console.log('begun'); return await demo.slow({ millis: 15000, value: 7 });"));

        JsonNode parked = awaitWaiting(api, id);
        assertThat(parked.path("waitingFor").path("reason").asText()).isEqualTo("tool");

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(7);
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
        assertThat(states(api, id)).containsExactly("RUNNING", "WAITING", "PENDING", "RUNNING", "COMPLETED");
        assertThat(api.getTrace(id).stream()
                        .filter(event -> event.path("type").asText().startsWith("tool")))
                .hasSize(2);
    }

    @Test
    void executionParkedForAToolKeepsItsWallClockLimit() {
        String id = api.submit(SubmissionBody.javascript("return await demo.slow({ millis: 25000, value: 7 });")
                .limit("wallMillis", 10_000));

        awaitWaiting(api, id);

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("TIMED_OUT");
        assertThat(ended.path("wallMillis").asLong()).isGreaterThanOrEqualTo(10_000L);
        TimingAssertions.assertAtMost(
                Duration.ofSeconds(24),
                Duration.ofMillis(ended.path("wallMillis").asLong()));
    }

    @Test
    void executionParkedForAToolCanBeCancelled() {
        String id = api.submit(SubmissionBody.javascript("return await demo.slow({ millis: 25000, value: 7 });"));
        awaitWaiting(api, id);

        api.cancel(id);

        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(api.getTrace(id).stream()
                        .filter(event -> event.path("type").asText().equals("tool_end"))
                        .map(event -> event.path("error").path("code").asText()))
                .containsExactly("cancelled");
    }

    private static List<String> states(RestClient api, String id) {
        return api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }
}
