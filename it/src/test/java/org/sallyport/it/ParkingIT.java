package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
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
                Duration.ofSeconds(30),
                () -> api.execution(id).path("state").asText().equals("WAITING"));
        return api.execution(id);
    }

    @Test
    void aParkedExecutionOutlivesItsNodeAndMakesItsEffectsOnce() {
        server.awaitReady();
        Api api = server.api();
        String counter = UUID.randomUUID().toString();
        String id = api.submit(Submission.javascript("""
                const chance = Math.random();
                const before = await demo.counter_increment({ name: args });
                const at = Date.now();
                console.log('before', chance);
                await sleep('8s');
                console.log('after', chance);
                const after = await demo.counter_increment({ name: args });
                return { before, after, slept: Date.now() - at >= 8000 };
                """).args("\"" + counter + "\""));
        JsonNode parked = awaitWaiting(api, id);
        assertThat(parked.path("waitingFor").path("reason").asText()).isEqualTo("timer");
        Instant since = Instant.parse(parked.path("waitingFor").path("since").asText());
        Instant until = Instant.parse(parked.path("waitingFor").path("until").asText());
        assertThat(Duration.between(since, until)).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(8));

        server.kill();
        server.begin();
        server.awaitReady();

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

    private static List<String> states(Api api, String id) {
        return api.trace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText())
                .toList();
    }
}
