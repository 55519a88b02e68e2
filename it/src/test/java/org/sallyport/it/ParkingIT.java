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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;
import org.sallyport.testsupport.Timing;

/** What waits long waits in the database: it survives its node and goes on when its time has come. */
@Tag("slow")
@Server(Profile.PARKING)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ParkingIT {
    private final Api api;

    ParkingIT(Tenant tenant) {
        this.api = tenant.api();
    }

    private static JsonNode awaitWaiting(Api api, String id) {
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(60),
                () -> api.execution(id).path("state").asText().equals("WAITING"));
        return api.execution(id);
    }

    @Test
    void aParkedExecutionCanBeCancelled() {
        String id = api.submit(Submission.javascript("await sleep('3d'); return 1"));
        JsonNode waitingFor = awaitWaiting(api, id).path("waitingFor");
        assertThat(waitingFor.path("reason").asText()).isEqualTo("timer");
        Instant since = Instant.parse(waitingFor.path("since").asText());
        Instant until = Instant.parse(waitingFor.path("until").asText());
        assertThat(Duration.between(since, until)).isBetween(Duration.ofDays(2), Duration.ofDays(3));
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void whoWaitsForASlowToolIsParkedAndGoesOnWithItsAnswer() {
        String id = api.submit(
                Submission.javascript("console.log('begun'); return await demo.slow({ millis: 15000, value: 7 });"));

        JsonNode parked = awaitWaiting(api, id);
        assertThat(parked.path("waitingFor").path("reason").asText()).isEqualTo("tool");

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(7);
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
        assertThat(states(api, id)).containsExactly("RUNNING", "WAITING", "PENDING", "RUNNING", "COMPLETED");
        assertThat(api.trace(id).stream()
                        .filter(event -> event.path("type").asText().startsWith("tool")))
                .hasSize(2);
    }

    @Test
    void parkedForAToolItIsHeldToItsLimitOfTime() {
        String id = api.submit(Submission.javascript("return await demo.slow({ millis: 25000, value: 7 });")
                .limit("wallMillis", 10_000));

        awaitWaiting(api, id);

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("TIMED_OUT");
        assertThat(ended.path("wallMillis").asLong()).isGreaterThanOrEqualTo(10_000L);
        Timing.assertAtMost(
                Duration.ofSeconds(24),
                Duration.ofMillis(ended.path("wallMillis").asLong()));
    }

    @Test
    void parkedForAToolItCanBeCancelled() {
        String id = api.submit(Submission.javascript("return await demo.slow({ millis: 25000, value: 7 });"));
        awaitWaiting(api, id);

        api.cancel(id);

        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(api.trace(id).stream()
                        .filter(event -> event.path("type").asText().equals("tool_end"))
                        .map(event -> event.path("error").path("code").asText()))
                .containsExactly("cancelled");
    }

    private static List<String> states(Api api, String id) {
        return api.trace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }
}
