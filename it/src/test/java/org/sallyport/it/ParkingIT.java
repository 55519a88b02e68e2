package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What waits long waits in the database: it survives its node and goes on when its time has come. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ParkingIT {
    private final SallyportServer server = ServerSetup.fresh("parking")
            .with("sallyport.runner.park-after-millis", "1000")
            .launch();

    @AfterAll
    void end() {
        server.close();
    }

    private static JsonNode awaitWaiting(Api api, String id) {
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(60),
                () -> api.execution(id).path("state").asText().equals("WAITING"));
        return api.execution(id);
    }

    @Test
    void whatIsParkedOutlivesItsNodeAndMakesItsEffectsOnce() {
        server.awaitReady();
        Api api = server.api();
        String sleeps = submitSleeper(api);
        String calls = api.submit(Submission.javascript("return await demo.slow({ millis: 15000, value: 7 });"));
        String name = "paid " + UUID.randomUUID();
        List<String> hear = Stream.generate(
                        () -> api.submit(Submission.javascript("return (await events.next(args)).data;")
                                .args("\"" + name + "\"")))
                .limit(3)
                .toList();
        JsonNode parked = awaitWaiting(api, sleeps);
        assertThat(parked.path("waitingFor").path("reason").asText()).isEqualTo("timer");
        Instant since = Instant.parse(parked.path("waitingFor").path("since").asText());
        Instant until = Instant.parse(parked.path("waitingFor").path("until").asText());
        assertThat(Duration.between(since, until)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
        assertThat(awaitWaiting(api, calls).path("waitingFor").path("reason").asText())
                .isEqualTo("tool");
        hear.forEach(id -> assertThat(
                        awaitWaiting(api, id).path("waitingFor").path("reason").asText())
                .isEqualTo("event"));

        server.kill();
        server.begin();
        server.awaitReady();

        assertSlept(api, sleeps);
        // Its node is gone, and with it the answer: it is asked for again.
        JsonNode called = api.awaitEnd(calls);
        assertThat(called.path("result").asInt()).as(called.toString()).isEqualTo(7);
        hear.forEach(id -> assertThat(api.execution(id).path("state").asText()).isEqualTo("WAITING"));
        api.run(Submission.javascript("await events.emit(args, { order: 7 });").args("\"" + name + "\""));
        for (String id : hear) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("result").path("order").asInt())
                    .as(ended.toString())
                    .isEqualTo(7);
        }
    }

    private static String submitSleeper(Api api) {
        return api.submit(Submission.javascript("""
                const chance = Math.random();
                const before = await demo.counter_increment({ name: args });
                const at = Date.now();
                console.log('before', chance);
                await sleep('20s');
                console.log('after', chance);
                const after = await demo.counter_increment({ name: args });
                return { before, after, slept: Date.now() - at >= 20000 };
                """).args("\"" + UUID.randomUUID() + "\""));
    }

    private static void assertSlept(Api api, String id) {
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("result").path("slept").asBoolean()).isTrue();
        assertThat(ended.path("result").path("before"))
                .isNotEqualTo(ended.path("result").path("after"));
        List<String> lines = ended.path("output").asText().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).isEqualTo(lines.get(0).replace("before", "after"));
        assertThat(states(api, id)).containsExactly("RUNNING", "WAITING", "PENDING", "RUNNING", "COMPLETED");
    }

    @Test
    void aParkedExecutionCanBeCancelled() {
        server.awaitReady();
        Api api = server.api();
        String id = api.submit(Submission.javascript("await sleep('3d'); return 1"));
        awaitWaiting(api, id);
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void whoWaitsForASlowToolIsParkedAndGoesOnWithItsAnswer() {
        server.awaitReady();
        Api api = server.api();
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
        server.awaitReady();
        Api api = server.api();
        String id = api.submit(Submission.javascript("return await demo.slow({ millis: 25000, value: 7 });")
                .limit("wallMillis", 10_000));

        awaitWaiting(api, id);

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("TIMED_OUT");
        assertThat(ended.path("wallMillis").asLong()).isBetween(10_000L, 24_000L);
    }

    @Test
    void parkedForAToolItCanBeCancelled() {
        server.awaitReady();
        Api api = server.api();
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
