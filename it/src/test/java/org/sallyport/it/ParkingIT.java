package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
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
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final RestClient api;

    ParkingIT(SallyportServer server, TestTenant tenant) {
        this.server = server;
        this.api = tenant.api();
    }

    private static JsonNode awaitWaiting(RestClient api, String id) {
        Await.until(
                id + " to be parked",
                TIMEOUT,
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

    /** Each resumption is an attempt, and none of them is the loss of a worker. */
    @Test
    void manyWakesAndOneLostWorkerComplete() {
        String gate = UUID.randomUUID().toString();
        String id = api.submit(SubmissionBody.javascript("""
                        for (let i = 0; i < 21; i++) await sleep(1500);
                        console.log('awake');
                        while (await demo.counter_read({ name: args }) === 0) await sleep(400);
                        return await demo.counter_increment({ name: args });
                        """).args("\"" + gate + "\""));
        Await.until("the execution was resumed 21 times", Duration.ofMinutes(5), () -> attempt(id) > 21);
        api.awaitOutput(id, "awake");

        server.workers().forEach(ProcessInspector::kill);
        Await.until("the script runs again", TIMEOUT, () -> attempt(id) > 22);
        api.run(SubmissionBody.javascript("return demo.counter_increment({ name: args });")
                .args('"' + gate + '"'));

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("result").asInt()).isEqualTo(2);
        assertThat(ended.path("output").asText()).isEqualTo("awake\n");
    }

    private int attempt(String id) {
        return api.getExecution(id).path("attempt").asInt();
    }

    private static List<String> states(RestClient api, String id) {
        return api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }
}
