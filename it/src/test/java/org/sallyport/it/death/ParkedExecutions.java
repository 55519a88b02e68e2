package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Submission;

/** What waits in the database goes on when its time, answer or event has come, and makes its effects once. */
final class ParkedExecutions implements Promise {
    private final Api api;
    private final String name = "\"paid " + UUID.randomUUID() + "\"";
    private String sleeps = "";
    private String calls = "";
    private List<String> hear = List.of();

    ParkedExecutions(Api api) {
        this.api = api;
    }

    @Override
    public void make() {
        sleeps = api.submit(Submission.javascript("""
                const chance = Math.random();
                const before = await demo.counter_increment({ name: args });
                const at = Date.now();
                console.log('before', chance);
                await sleep('30s');
                console.log('after', chance);
                const after = await demo.counter_increment({ name: args });
                return { before, after, slept: Date.now() - at >= 30000 };
                """).args("\"" + UUID.randomUUID() + "\""));
        calls = api.submit(Submission.javascript("return await demo.slow({ millis: 25000, value: 7 });"));
        hear = Stream.generate(() -> api.submit(Submission.javascript("return (await events.next(args)).data;")
                        .args(name)))
                .limit(3)
                .toList();
        awaitParked(sleeps, "timer");
        awaitParked(calls, "tool");
        hear.forEach(id -> awaitParked(id, "event"));
    }

    private void awaitParked(String id, String reason) {
        Await.until(
                id + " is parked",
                Duration.ofSeconds(120),
                () -> api.execution(id).path("state").asText().equals("WAITING"));
        assertThat(api.execution(id).path("waitingFor").path("reason").asText()).isEqualTo(reason);
    }

    @Override
    public void assertKept() {
        JsonNode slept = api.awaitEnd(sleeps);
        assertThat(slept.path("result").path("slept").asBoolean())
                .as(slept.toString())
                .isTrue();
        assertThat(slept.path("result").path("before"))
                .isNotEqualTo(slept.path("result").path("after"));
        List<String> lines = slept.path("output").asText().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).isEqualTo(lines.get(0).replace("before", "after"));
        // Where its last call takes more than a second it is parked for that, too.
        assertThat(api.trace(sleeps).stream()
                        .filter(event -> event.path("type").asText().equals("state"))
                        .map(event -> event.path("state").asText()))
                .startsWith("RUNNING", "WAITING", "PENDING", "RUNNING")
                .endsWith("COMPLETED");
        // Its node is gone, and with it the answer: it is asked for again.
        JsonNode called = api.awaitEnd(calls);
        assertThat(called.path("result").asInt()).as(called.toString()).isEqualTo(7);
        hear.forEach(id -> assertThat(api.execution(id).path("state").asText()).isEqualTo("WAITING"));
        api.run(Submission.javascript("await events.emit(args, { order: 7 });").args(name));
        for (String id : hear) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("result").path("order").asInt())
                    .as(ended.toString())
                    .isEqualTo(7);
        }
    }
}
