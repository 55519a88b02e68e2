package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** So many of one tenant may wait to begin, and no more. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueueFullIT {
    private static final String BATCHES = "/api/v1/batches";
    /** Holds its place: who sleeps for longer is parked. */
    private static final Submission SLEEPER = Submission.javascript("for (;;) await sleep(200)");

    private final SallyportServer server = ServerSetup.fresh("queue-full")
            .with("sallyport.limits.queued", "3")
            .with("sallyport.runner.live", "1")
            .launch();

    @AfterAll
    void end() {
        server.close();
    }

    private static void assertFull(Description description, String path, Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(429);
        assertThat(answer.problem()).isEqualTo("queue-full");
        assertThat(answer.header("Retry-After")).contains("2");
        assertThat(answer.json().path("limit").asInt()).isEqualTo(3);
        assertThat(description.faults("POST", path, answer)).isEmpty();
    }

    @Test
    void whatIsTooMuchIsRefusedUntilSomeHaveBegun() {
        server.awaitReady();
        Api api = server.api();
        Description description = Description.of(api);
        List<String> accepted = new ArrayList<>(List.of(api.submit(SLEEPER)));
        api.awaitRunning(accepted.get(0));
        // What has begun leaves the count within a second.
        while (accepted.size() < 4) {
            accepted.add(Await.value(
                    "there is room for number " + accepted.size(),
                    Duration.ofSeconds(60),
                    () -> Optional.of(api.send(api.submission(SLEEPER.json())))
                            .filter(answer -> answer.status() == 202)
                            .map(answer -> answer.json().path("id").asText())));
        }

        assertFull(description, Api.EXECUTIONS, api.send(api.submission(SLEEPER.json())));
        String two = "{\"items\": [{\"code\": \"return 1\"}, {\"code\": \"return 2\"}]}";
        assertFull(description, BATCHES, api.post(BATCHES, two));
        assertThat(api.get("/api/v1/queue").expect(200).json().path("limit").asInt())
                .isEqualTo(3);
        Await.until(
                "three are shown to wait",
                Duration.ofSeconds(60),
                () -> api.get("/api/v1/queue")
                                .expect(200)
                                .json()
                                .at("/tenant/counts/PENDING")
                                .asInt()
                        == 3);

        accepted.forEach(api::cancel);
        accepted.forEach(api::awaitEnd);
        Await.until(
                "there is room again",
                Duration.ofSeconds(60),
                () -> api.send(api.submission(Submission.javascript("return 7").json()))
                                .status()
                        == 202);
        assertThat(api.post(BATCHES, two).status()).isEqualTo(202);
        retryAsksRoomForWhatHasFailed(api);
    }

    private static Answer accepted(String what, Supplier<Answer> request) {
        return Await.value(
                "there is room for " + what,
                Duration.ofSeconds(60),
                () -> Optional.of(request.get()).filter(answer -> answer.status() == 202));
    }

    private static void retryAsksRoomForWhatHasFailed(Api api) {
        String three = "{\"items\": [{\"code\": \"return 1\"}, {\"code\": \"throw 2\"}, {\"code\": \"return 3\"}]}";
        String batch = accepted("three", () -> api.post(BATCHES, three))
                .json()
                .path("id")
                .asText();
        Await.until(
                "they have ended",
                Duration.ofSeconds(60),
                () -> api.get(BATCHES + "/" + batch)
                        .expect(200)
                        .json()
                        .path("finished")
                        .asBoolean());
        String running = accepted("one that runs", () -> api.post(Api.EXECUTIONS, SLEEPER.json()))
                .json()
                .path("id")
                .asText();
        api.awaitRunning(running);
        String waiting = accepted("one that waits", () -> api.post(Api.EXECUTIONS, SLEEPER.json()))
                .json()
                .path("id")
                .asText();

        // Beside the one that waits there is room for two, and never for three.
        Answer retried = accepted("one more", () -> api.post(BATCHES + "/" + batch + "/retry", "{}"));

        assertThat(retried.json().path("total").asInt()).isEqualTo(1);
        api.cancel(running).expect(202);
        api.cancel(waiting).expect(202);
    }
}
