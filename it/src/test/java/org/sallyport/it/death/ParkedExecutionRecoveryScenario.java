package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** A parked execution resumes when its timer, reply or event arrives, and makes each effect once. */
final class ParkedExecutionRecoveryScenario implements RecoveryScenario {
    private final RestClient api;
    private final String eventName = "\"paid " + UUID.randomUUID() + "\"";
    private String sleepingId = "";
    private String callingId = "";
    private List<String> listeningIds = List.of();

    ParkedExecutionRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        sleepingId = api.submit(SubmissionBody.javascript("""
                const chance = Math.random();
                const before = await demo.counter_increment({ name: args });
                const at = Date.now();
                console.log('before', chance);
                await sleep('30s');
                console.log('after', chance);
                const after = await demo.counter_increment({ name: args });
                return { before, after, slept: Date.now() - at >= 30000 };
                """).args("\"" + UUID.randomUUID() + "\""));
        callingId = api.submit(SubmissionBody.javascript("return await demo.slow({ millis: 25000, value: 7 });"));
        listeningIds = Stream.generate(
                        () -> api.submit(SubmissionBody.javascript("return (await events.next(args)).data;")
                                .args(eventName)))
                .limit(3)
                .toList();
        awaitParked(sleepingId, "timer");
        awaitParked(callingId, "tool");
        listeningIds.forEach(id -> awaitParked(id, "event"));
    }

    private void awaitParked(String id, String reason) {
        Await.until(
                id + " is parked",
                Duration.ofSeconds(120),
                () -> api.getExecution(id).path("state").asText().equals("WAITING"));
        assertThat(api.getExecution(id).path("waitingFor").path("reason").asText())
                .isEqualTo(reason);
    }

    @Override
    public void assertRecovered() {
        JsonNode slept = api.awaitEnd(sleepingId);
        assertThat(slept.path("result").path("slept").asBoolean())
                .as(slept.toString())
                .isTrue();
        assertThat(slept.path("result").path("before"))
                .isNotEqualTo(slept.path("result").path("after"));
        List<String> lines = slept.path("output").asText().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).isEqualTo(lines.get(0).replace("before", "after"));
        // If its last call takes more than a second, the execution is parked for that call, too.
        assertThat(api.getTrace(sleepingId).stream()
                        .filter(event -> event.path("type").asText().equals("state"))
                        .map(event -> event.path("state").asText()))
                .startsWith("RUNNING", "WAITING", "PENDING", "RUNNING")
                .endsWith("COMPLETED");
        // The node and with it the reply are lost, so the service makes the call again.
        JsonNode called = api.awaitEnd(callingId);
        assertThat(called.path("result").asInt()).as(called.toString()).isEqualTo(7);
        listeningIds.forEach(
                id -> assertThat(api.getExecution(id).path("state").asText()).isEqualTo("WAITING"));
        api.run(SubmissionBody.javascript("await events.emit(args, { order: 7 });")
                .args(eventName));
        for (String id : listeningIds) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("result").path("order").asInt())
                    .as(ended.toString())
                    .isEqualTo(7);
        }
    }
}
