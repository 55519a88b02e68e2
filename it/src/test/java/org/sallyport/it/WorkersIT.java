package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Expendable;
import org.sallyport.it.harness.Processes;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** The processes that scripts run in. */
@ExtendWith(Servers.class)
class WorkersIT {
    private static final Duration SECONDS = Duration.ofSeconds(10);

    private final SallyportServer server;
    private final Api api;

    WorkersIT(@Expendable SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @Test
    void severalExecutionsShareAWorker() {
        List<String> running = startSleepers();

        JsonNode sandbox = sandboxHealth();
        assertThat(sandbox.path("mode").asText()).isEqualTo("worker");
        assertThat(sandbox.path("sessions").asInt()).isEqualTo(running.size());
        assertThat(server.workers()).isNotEmpty();
        assertThat(sandbox.path("workers").asInt() - sandbox.path("warm").asInt())
                .describedAs("workers in use: " + sandbox)
                .isEqualTo(1);

        running.forEach(id -> api.cancel(id).expect(202));
        running.forEach(api::awaitEnd);
    }

    @Test
    void killedWorkerEndsItsExecutionsTruthfullyAndTheServiceGoesOn() {
        List<String> running = startSleepers();
        List<ProcessHandle> victims = server.workers();
        assertThat(victims).isNotEmpty();

        // All of them, the warm ones too: which one holds the executions is not to be seen from outside.
        victims.forEach(Processes::kill);

        for (String id : running) {
            JsonNode ended = Await.value(
                    "execution " + id + " has ended",
                    SECONDS,
                    () -> java.util.Optional.of(api.execution(id)).filter(Api::ended));
            assertThat(ended.path("state").asText()).isEqualTo("FAILED");
            assertThat(ended.path("error").path("code").asText()).isEqualTo("worker-lost");
            assertThat(ended.path("error").path("culprit").asText()).isEqualTo("internal");
        }
        JsonNode next = api.run(Submission.javascript("return demo.add({ a: 1, b: 2 });"));
        assertThat(next.path("result").asInt()).describedAs(next.toString()).isEqualTo(3);
        assertThat(server.workers()).isNotEmpty().doesNotContainAnyElementsOf(victims);
        Await.until(
                "the server is ready", SECONDS, () -> api.get("/health/ready").status() == 200);
    }

    @Test
    void workersSeeNothingOfTheServersSurroundings() {
        assertThat(server.workers()).isNotEmpty().allSatisfy(worker -> {
            assertThat(Processes.environment(worker.pid())).isEmpty();
            assertThat(Processes.commandLine(worker.pid())).noneMatch(argument -> argument.contains(server.adminKey()));
        });
    }

    @Test
    void stoppedServerLeavesNoProcess() {
        startSleepers();
        List<ProcessHandle> below = server.below();
        assertThat(below).isNotEmpty();

        server.stop();

        Await.until(
                "nothing that the server started lives",
                SECONDS,
                () -> below.stream().noneMatch(ProcessHandle::isAlive));
    }

    private List<String> startSleepers() {
        List<String> ids = Stream.generate(
                        () -> api.submit(Submission.javascript("console.log('begun'); await sleep('10m');")))
                .limit(Servers.EXPENDABLE_PLACES)
                .toList();
        ids.forEach(id -> api.awaitOutput(id, "begun"));
        return ids;
    }

    private JsonNode sandboxHealth() {
        for (JsonNode check : api.get("/health/ready").expect(200).json().path("checks")) {
            if (check.path("name").asText().equals("sandbox")) {
                return check.path("data");
            }
        }
        throw new AssertionError("the health has no check 'sandbox'");
    }
}
